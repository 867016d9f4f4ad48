import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Transport } from '../../core/gateway.js';
import { isAdmin } from '../../core/principal.js';
import type { Principal } from '../../core/principal.js';
import { lightController } from '../../lib/light-signal.js';
import type { TokenBucket } from '../../lib/token-bucket.js';
import { tokenBucket } from '../../lib/token-bucket.js';
import type { AuthResult, Authenticator } from './authenticate.js';
import { readBody } from './body.js';
import type { Cors } from './cors.js';
import { cors } from './cors.js';
import { originCheck } from './origin-check.js';
import { sendError, sendProblem } from './respond.js';
import type { Route, RouteAuth } from './route.js';
import { router, anonymous } from './route.js';

/** Listener options; the limits protect the process before any route runs. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** Unix socket to listen on instead of host and port. */
  readonly socketPath?: string;
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly maxBodyBytes: number;
  /** Requests per second and peer address, checked before parsing; 0 disables the limit. */
  readonly peerRatePerSecond: number;
  readonly maxConnections: number;
  readonly onFault: (error: unknown) => void;
}

/** The HTTP transport; `address` is known after `start`. */
export interface HttpDoor extends Transport {
  address(): AddressInfo;
}

/** HTTP listener. Checks Host and Origin, peer rate, route, credential, media type and body size, in this order, before the route handler. */
export function httpDoor(options: HttpOptions): HttpDoor {
  const match = router(options.routes);
  // CORS origins are allowed origins too, else their preflight would be rejected before it is answered.
  const checkOrigin = originCheck({
    allowedHosts: options.allowedHosts,
    allowedOrigins: [...options.allowedOrigins, ...options.corsOrigins],
  });
  const crossOrigin: Cors = cors(options.corsOrigins);
  const peerBuckets: TokenBucket = tokenBucket({ maxKeys: 10_000 });
  let stopping = false;

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const problem = checkOrigin(req);
    if (problem !== undefined) return sendProblem(res, 403, 'forbidden_origin', problem);
    if (
      options.peerRatePerSecond > 0 &&
      !peerBuckets.take(req.socket.remoteAddress ?? '', options.peerRatePerSecond * 60, options.peerRatePerSecond).ok
    ) {
      return sendProblem(res, 429, 'rate_limited', 'Too many requests from this address', { 'retry-after': '1' });
    }
    if (crossOrigin(req, res)) return undefined;
    const { pathname, query } = splitTarget(req.url ?? '/');
    const found = match(req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET'), pathname);
    if (found.kind === 'none') return sendProblem(res, 404, 'no_such_route', 'No such route; see GET /openapi.json');
    if (found.kind === 'method')
      return sendProblem(res, 405, 'method_not_allowed', `Use ${found.allow.join(' or ')}`, {
        allow: found.allow.join(', '),
      });

    const { route, params } = found;
    // Await only real promises: an unnecessary await costs as much as a small guard.
    const authentication = authenticate(route.auth, req, res);
    const principal = authentication instanceof Promise ? await authentication : authentication;
    if (principal === undefined || !hasAcceptedType(route, req, res)) return undefined;
    const body = await readBody(req, options.maxBodyBytes);
    if (typeof body === 'string') return rejectBody(body, req, res);
    await route.handle({ req, res, principal, pathname, query, params, body, signal: disconnectSignal(req.socket) });
  }

  /** Undefined if the request was rejected and answered. */
  type Authentication = Principal | undefined;

  /** Resolves the principal of a request; open routes never look at the header. */
  function authenticate(
    auth: RouteAuth,
    req: IncomingMessage,
    res: ServerResponse,
  ): Authentication | Promise<Authentication> {
    if (auth === 'open') return anonymous;
    const { authorization } = req.headers;
    if (auth === 'optional' && !authorization) return anonymous;
    const checked = options.authenticator.authenticate(authorization);
    return checked instanceof Promise
      ? checked.then((result) => checkResult(result, auth, res))
      : checkResult(checked, auth, res);
  }

  /** Sends 401 or 403 for a failed authentication or a missing admin role. */
  function checkResult(result: AuthResult, auth: RouteAuth, res: ServerResponse): Authentication {
    if ('refused' in result) {
      const status = result.refused === 'insufficient' ? 403 : 401;
      sendProblem(res, status, status === 401 ? 'unauthorized' : 'permission_denied', result.message, {
        'www-authenticate': result.challenge,
      });
      return undefined;
    }
    if (auth === 'admin' && !isAdmin(result.principal)) {
      sendError(res, { code: 'admin_required', message: 'Requires the admin role' });
      return undefined;
    }
    return result.principal;
  }

  /** Requires the media type of the route. A browser form cannot send JSON without a CORS preflight (CSRF). */
  function hasAcceptedType({ consumes }: Route, req: IncomingMessage, res: ServerResponse): boolean {
    // An empty body needs no media type: `curl -X POST` of a tool without arguments is valid.
    if (consumes === undefined || mediaType(req.headers['content-type']) === consumes || !hasBody(req)) return true;
    closeAfterResponse(req, res);
    sendProblem(res, 415, 'unsupported_media_type', `Content-Type must be ${consumes}`, { connection: 'close' });
    return false;
  }

  function rejectBody(reason: 'too_large' | 'broken', req: IncomingMessage, res: ServerResponse): void {
    if (reason === 'broken') return;
    closeAfterResponse(req, res);
    sendProblem(res, 413, 'too_large', `The body exceeds ${options.maxBodyBytes} bytes; see server.max_body_bytes`, {
      connection: 'close',
    });
  }

  const server: Server = createServer(
    {
      // Short header timeouts limit slow-header attacks (Slowloris).
      maxHeaderSize: 32_768,
      requestTimeout: 60_000,
      headersTimeout: 15_000,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 5_000,
    },
    (req, res) => {
      unusedSockets.delete(req.socket);
      if (stopping) res.setHeader('connection', 'close');
      serve(req, res).catch((error: unknown) => {
        options.onFault(error);
        sendProblem(res, 500, 'unknown', 'Internal error of the gateway; see its log');
      });
    },
  );
  server.maxConnections = options.maxConnections;
  // Preconnected sockets without a request; closeIdleConnections() does not count them as idle.
  const unusedSockets = new Set<Socket>();
  server.on('connection', (socket) => {
    unusedSockets.add(socket);
    socket.once('close', () => unusedSockets.delete(socket));
  });
  const closeIdle = (): void => {
    server.closeIdleConnections();
    for (const socket of unusedSockets) socket.destroy();
  };
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    else socket.destroy();
  });

  return {
    name: 'http',
    address() {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('The HTTP listener is not started');
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
        // After the grace period open connections are closed, which aborts the calls that run on them.
        const force = (): void => server.closeAllConnections();
        signal.addEventListener('abort', force, { once: true });
        // Keep-alive connections become idle at any time and would delay the shutdown until their client closes them.
        const idleTimer = setInterval(closeIdle, 50);
        server.close(() => {
          clearInterval(idleTimer);
          signal.removeEventListener('abort', force);
          resolve();
        });
        if (signal.aborted) force();
        else closeIdle();
      }),
  };
}

const disconnectSignals = new WeakMap<Socket, AbortSignal>();

/** Signal that aborts when the connection closes; cached per connection, because creating one costs a fifteenth of a call. */
function disconnectSignal(socket: Socket): AbortSignal {
  let signal = disconnectSignals.get(socket);
  if (signal === undefined) {
    const controller = lightController();
    ({ signal } = controller);
    socket.once('close', () => controller.abort());
    disconnectSignals.set(socket, signal);
    if (socket.destroyed) controller.abort();
  }
  return signal;
}

/** Closes the connection after the response: the unread rest of the body would otherwise keep it busy. */
function closeAfterResponse(req: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => req.socket.destroySoon());
}

/** Splits path and query by hand: URL would normalise `..` and change what the router matches. */
function splitTarget(url: string): { readonly pathname: string; readonly query: URLSearchParams } {
  const mark = url.indexOf('?');
  return mark < 0
    ? { pathname: url, query: noQuery }
    : { pathname: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
const noQuery = new URLSearchParams();

const mediaType = (header: string | undefined): string => (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

const hasBody = (req: IncomingMessage): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
