import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Transport } from '../../core/gateway.js';
import { isAdmin } from '../../core/principal.js';
import type { Principal } from '../../core/principal.js';
import { lightController } from '../../lib/light-signal.js';
import type { TokenBucket } from '../../lib/token-bucket.js';
import { tokenBucket } from '../../lib/token-bucket.js';
import type { Authenticated, Authenticator } from './authenticate.js';
import { readBody } from './body.js';
import type { Cors } from './cors.js';
import { cors } from './cors.js';
import { protect } from './protect.js';
import { sendError, sendProblem } from './respond.js';
import type { Route, RouteAuth } from './route.js';
import { router, stranger } from './route.js';

export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** A socket in the file system to listen on instead of host and port. */
  readonly socketPath?: string;
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly maxBodyBytes: number;
  /** Requests a second from one address, before anything of them is parsed; 0 is no limit. */
  readonly peerRatePerSecond: number;
  readonly maxConnections: number;
  readonly onFault: (error: unknown) => void;
}

export interface HttpDoor extends Transport {
  address(): AddressInfo;
}

/** The HTTP listener: Host, Origin, peer rate, route, credential, size; then the route, and nothing before it was proven. */
export function httpDoor(options: HttpOptions): HttpDoor {
  const match = router(options.routes);
  const objection = protect({
    allowedHosts: options.allowedHosts,
    allowedOrigins: [...options.allowedOrigins, ...options.corsOrigins],
  });
  const crossOrigin: Cors = cors(options.corsOrigins);
  const peers: TokenBucket = tokenBucket({ maxKeys: 10_000 });
  let stopping = false;

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const problem = objection(req);
    if (problem !== undefined) return sendProblem(res, 403, 'forbidden_origin', problem);
    if (
      options.peerRatePerSecond > 0 &&
      !peers.take(req.socket.remoteAddress ?? '', options.peerRatePerSecond * 60, options.peerRatePerSecond).ok
    ) {
      return sendProblem(res, 429, 'rate_limited', 'Too many requests from this address', { 'retry-after': '1' });
    }
    if (crossOrigin(req, res)) return undefined;
    const { pathname, query } = target(req.url ?? '/');
    const found = match(req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET'), pathname);
    if (found.kind === 'none')
      return sendProblem(res, 404, 'no_such_route', 'There is nothing here; GET /openapi.json lists what is');
    if (found.kind === 'method')
      return sendProblem(res, 405, 'method_not_allowed', `Use ${found.allow.join(' or ')}`, {
        allow: found.allow.join(', '),
      });

    const { route, params } = found;
    // Only what must be waited for is awaited: each wait costs as much as a small guard.
    const admission = admitted(route.auth, req, res);
    const principal = admission instanceof Promise ? await admission : admission;
    if (principal === undefined || !isExpected(route, req, res)) return undefined;
    const body = await readBody(req, options.maxBodyBytes);
    if (typeof body === 'string') return unreadable(body, req, res);
    await route.handle({ req, res, principal, pathname, query, params, body, signal: hangUpOf(req.socket) });
  }

  type Admission = Principal | undefined;

  function admitted(auth: RouteAuth, req: IncomingMessage, res: ServerResponse): Admission | Promise<Admission> {
    if (auth === 'open') return stranger;
    const { authorization } = req.headers;
    if (auth === 'optional' && !authorization) return stranger;
    const checked = options.authenticator.authenticate(authorization);
    return checked instanceof Promise
      ? checked.then((result) => judged(result, auth, res))
      : judged(checked, auth, res);
  }

  function judged(result: Authenticated, auth: RouteAuth, res: ServerResponse): Admission {
    if ('refused' in result) {
      const status = result.refused === 'insufficient' ? 403 : 401;
      sendProblem(res, status, status === 401 ? 'unauthorized' : 'permission_denied', result.message, {
        'www-authenticate': result.challenge,
      });
      return undefined;
    }
    if (auth === 'admin' && !isAdmin(result.principal)) {
      sendError(res, { code: 'admin_required', message: 'This needs the admin role' });
      return undefined;
    }
    return result.principal;
  }

  function isExpected({ consumes }: Route, req: IncomingMessage, res: ServerResponse): boolean {
    // An empty body needs no type: `curl -X POST` of a tool without arguments is fine.
    if (consumes === undefined || mediaType(req.headers['content-type']) === consumes || !hasBody(req)) return true;
    unread(req, res);
    sendProblem(res, 415, 'unsupported_media_type', `Send ${consumes}`, { connection: 'close' });
    return false;
  }

  function unreadable(why: 'too_large' | 'broken', req: IncomingMessage, res: ServerResponse): void {
    if (why === 'broken') return;
    unread(req, res);
    sendProblem(res, 413, 'too_large', `The body may have ${options.maxBodyBytes} bytes`, { connection: 'close' });
  }

  const server: Server = createServer(
    {
      maxHeaderSize: 32_768,
      requestTimeout: 60_000,
      headersTimeout: 15_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
    },
    (req, res) => {
      unused.delete(req.socket);
      if (stopping) res.setHeader('connection', 'close');
      serve(req, res).catch((error: unknown) => {
        options.onFault(error);
        sendProblem(res, 500, 'unknown', 'Something went wrong inside the gateway');
      });
    },
  );
  server.maxConnections = options.maxConnections;
  // Connections on which nothing was asked yet: browsers and clients open them ahead, and Node does not count them as idle.
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  const letIdleGo = (): void => {
    server.closeIdleConnections();
    for (const socket of unused) socket.destroy();
  };
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    else socket.destroy();
  });

  return {
    name: 'http',
    address() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The HTTP door is not open');
      return address;
    },
    start: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(
          options.socketPath === undefined ? { port: options.port, host: options.host } : { path: options.socketPath },
          () => {
            server.off('error', reject);
            server.on('error', options.onFault);
            resolve();
          },
        );
      }),
    stop: (signal) =>
      new Promise((resolve) => {
        stopping = true;
        const force = (): void => server.closeAllConnections();
        signal.addEventListener('abort', force, { once: true });
        // A kept-alive connection would hold the door open for as long as its client likes; it falls idle when it likes, too.
        const sweeping = setInterval(letIdleGo, 50);
        server.close(() => {
          clearInterval(sweeping);
          signal.removeEventListener('abort', force);
          resolve();
        });
        if (signal.aborted) force();
        else letIdleGo();
      }),
  };
}

const hangUps = new WeakMap<Socket, AbortSignal>();

/** Fires when the connection ends; one for all requests of a connection, since making one is a fifteenth of a call. */
function hangUpOf(socket: Socket): AbortSignal {
  let signal = hangUps.get(socket);
  if (signal === undefined) {
    const controller = lightController();
    ({ signal } = controller);
    socket.once('close', () => controller.abort());
    hangUps.set(socket, signal);
    if (socket.destroyed) controller.abort();
  }
  return signal;
}

/** The rest of the body is not read, so the connection ends with the answer; a sender that never stops would hold it. */
function unread(req: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => req.socket.destroySoon());
}

function target(url: string): { readonly pathname: string; readonly query: URLSearchParams } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { pathname: url, query: noQuery }
    : { pathname: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
const noQuery = new URLSearchParams();

const mediaType = (header: string | undefined): string => (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
