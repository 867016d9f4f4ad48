import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isAdmin } from '../../../core/principal.js';
import type { Principal } from '../../../core/principal.js';
import { lightController } from '../../../lib/light-signal.js';
import { tokenBucket } from '../../../lib/token-bucket.js';
import { maySubscribe, streamCredentials } from './stream-credentials.js';
import type { AuthResult, Authenticator } from './authenticate.js';
import { hasBody, noBody, readBody } from './body.js';
import type { BodyProblem } from './body.js';
import { bodyBudget } from './body-budget.js';
import { cors } from './cors.js';
import { originCheck } from './origin-check.js';
import type { Peers } from './peers.js';
import { sendError, sendProblem, sendUnknownRoute } from './respond.js';
import type { Route, RouteAuth } from './route.js';
import { anonymous, router } from './route.js';

/** Limits and allow-lists of the edge; they follow the active configuration. */
export interface EdgeOptions {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly maxBodyBytes: number;
  /** Bytes of all request bodies in memory at one time. */
  readonly maxInflightBodyBytes?: number;
  /** Requests per second and peer address, checked before parsing; 0 disables the limit. */
  readonly peerRatePerSecond: number;
  /** Resolves client addresses; by default the address of the connection. */
  readonly peers?: Peers;
}

/** A credential that was refused. */
export interface AuthRefusal {
  readonly peer: string;
  readonly method: string;
  /** Path pattern of the route, never the path itself: that is text of the client. */
  readonly route: string;
  readonly reason: 'missing' | 'invalid' | 'insufficient' | 'admin_required';
  /** Set if the credential is valid and only its role is not sufficient. */
  readonly principal?: string;
}

interface EdgeHandlerOptions {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly current: () => CompiledEdge;
  readonly onRefused?: ((refusal: AuthRefusal) => void) | undefined;
  readonly observer?: EdgeObserver | undefined;
}

/** Receives requests as the edge sees them. */
export interface EdgeObserver {
  /** A request that was refused before its route. */
  refused(request: { readonly peer: string; readonly status: number; readonly reason: string }): void;
  /** Whether finished requests are observed; asked for each, since the log level can change. */
  wantsRequests(): boolean;
  finished(request: {
    readonly peer: string;
    readonly method: string;
    readonly route: string;
    readonly status: number;
  }): void;
}

/** Edge options with their look-up tables. */
export interface CompiledEdge {
  readonly options: EdgeOptions;
  readonly peers: Peers;
  readonly maxInflightBodyBytes: number;
  readonly maxBodyBytes: number;
  readonly checkOrigin: ReturnType<typeof originCheck>;
  readonly crossOrigin: ReturnType<typeof cors>;
}

/** Compiles edge options, once per configuration. */
export function compileEdge(options: EdgeOptions, defaultPeers: Peers): CompiledEdge {
  return {
    options,
    peers: options.peers ?? defaultPeers,
    maxBodyBytes: options.maxBodyBytes,
    maxInflightBodyBytes: options.maxInflightBodyBytes ?? 67_108_864,
    // CORS origins are allowed origins too, else their preflight would be rejected before it is answered.
    checkOrigin: originCheck({
      allowedHosts: options.allowedHosts,
      allowedOrigins: [...options.allowedOrigins, ...options.corsOrigins],
    }),
    crossOrigin: cors(options.corsOrigins),
  };
}

/** Undefined if the request was rejected and answered. */
type Authentication = Principal | undefined;

/** One request on its way to its route. */
interface Arrival {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly peer: string;
  readonly route: Route;
}

/** Handles every request of a listener: Host, Origin, peer rate, route, credential, media type and body, in this order. */
export function edgeHandler({
  routes,
  authenticator,
  current,
  onRefused,
  observer,
}: EdgeHandlerOptions): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  const match = router(routes);
  const peerBuckets = tokenBucket({ maxKeys: 10_000 });
  const bodies = bodyBudget(current);

  const streams = streamCredentials(authenticator);

  /** Resolves the principal of a request; open routes never look at the header. */
  function authenticate(auth: RouteAuth, arrival: Arrival): Authentication | Promise<Authentication> {
    if (auth === 'open') return anonymous;
    const { authorization } = arrival.req.headers;
    if (auth === 'optional' && !authorization) return anonymous;
    const checked = authenticator.authenticate(authorization);
    return checked instanceof Promise
      ? checked.then((result) => checkResult(result, auth, arrival))
      : checkResult(checked, auth, arrival);
  }

  /** Sends 401 or 403 for a failed authentication or a missing admin role. */
  function checkResult(result: AuthResult, auth: RouteAuth, { res, peer, route }: Arrival): Authentication {
    const about = { peer, method: route.method, route: route.path };
    if ('refused' in result) {
      onRefused?.({ ...about, reason: result.refused });
      const status = result.refused === 'insufficient' ? 403 : 401;
      sendProblem(res, status, status === 401 ? 'unauthorized' : 'permission_denied', result.message, {
        'www-authenticate': result.challenge,
      });
      return undefined;
    }
    const { principal } = result;
    if (auth === 'admin' && !isAdmin(principal)) {
      onRefused?.({ ...about, reason: 'admin_required', principal: principal.id });
      sendError(res, { code: 'admin_required', message: 'Requires the admin role' });
      return undefined;
    }
    return principal;
  }

  /** Reads the body within the limits and runs the route. */
  async function handle(arrival: Arrival, principal: Principal, rest: RouteTarget): Promise<void> {
    const { req, res, route, peer } = arrival;
    const { pathname, query, params } = rest;
    const signal = disconnectSignal(req.socket);
    if (route.auth !== 'open' && maySubscribe(req)) streams.watch(req, res, principal);
    // Routes that take no body leave it unread; Node discards it after the response.
    if (route.consumes === undefined || !hasBody(req))
      return route.handle({ req, res, peer, pathname, query, params, signal, principal, body: noBody });
    const { maxBodyBytes } = current();
    const generation = authenticator.generation?.();
    const lease = bodies.lease(principal.id);
    try {
      const body = await readBody(req, maxBodyBytes, lease);
      if (typeof body === 'string') {
        observer?.refused({ peer, status: body === 'too_large' ? 413 : 503, reason: body });
        return rejectBody(body, maxBodyBytes, arrival);
      }
      // Answered meanwhile: the request took too long, or the gateway stops.
      if (res.headersSent) return undefined;
      // A slow body must not carry a revoked credential over a reload.
      const still = generation === authenticator.generation?.() ? principal : await authenticate(route.auth, arrival);
      return still === undefined
        ? undefined
        : await route.handle({ req, res, peer, pathname, query, params, signal, principal: still, body });
    } finally {
      lease.release();
    }
  }

  return async (req, res) => {
    const { checkOrigin, crossOrigin, peers, options } = current();
    const address = req.socket.remoteAddress ?? '';
    if (hasTwoHosts(req)) {
      observer?.refused({ peer: address, status: 400, reason: 'two_hosts' });
      closeAfterResponse(req, res);
      return sendProblem(res, 400, 'bad_request', 'The request has more than one Host header', { connection: 'close' });
    }
    const problem = checkOrigin(req);
    if (problem !== undefined) {
      observer?.refused({ peer: address, status: 403, reason: 'forbidden_origin' });
      return sendProblem(res, 403, 'forbidden_origin', problem);
    }
    const peer = peers.clientOf(req.socket.remoteAddress, req.headers);
    const { peerRatePerSecond: rate } = options;
    if (rate > 0 && !peerBuckets.take(peers.groupOf(peer), rate * 60, Math.max(1, rate)).ok) {
      observer?.refused({ peer, status: 429, reason: 'peer_rate' });
      return sendProblem(res, 429, 'rate_limited', 'Too many requests from this address', { 'retry-after': '1' });
    }
    const { pathname, query } = splitTarget(req.url ?? '/');
    // Pages of other origins may use the API with a token of their own, but never log in to the console.
    if (!pathname.startsWith('/console') && crossOrigin(req, res)) return undefined;
    const found = match(req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET'), pathname);
    if (found.kind === 'none') return sendUnknownRoute(res);
    if (found.kind === 'method')
      return sendProblem(res, 405, 'method_not_allowed', `Use ${found.allow.join(' or ')}`, {
        allow: found.allow.join(', '),
      });
    const { route, params } = found;
    const arrival = { req, res, peer, route };
    if (observer?.wantsRequests() === true)
      res.once('finish', () =>
        observer.finished({ peer, method: route.method, route: route.path, status: res.statusCode }),
      );
    // Await only real promises: an unnecessary await costs as much as a small guard.
    const authentication = authenticate(route.auth, arrival);
    const principal = authentication instanceof Promise ? await authentication : authentication;
    if (principal === undefined) return undefined;
    if (!hasAcceptedType(arrival)) {
      observer?.refused({ peer, status: 415, reason: 'media_type' });
      return undefined;
    }
    return handle(arrival, principal, { pathname, query, params });
  };
}

interface RouteTarget {
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

/** Requires the media type of the route. A browser form cannot send JSON without a CORS preflight (CSRF). */
function hasAcceptedType({ req, res, route: { consumes } }: Arrival): boolean {
  // An empty body needs no media type: `curl -X POST` of a tool without arguments is valid.
  if (consumes === undefined || mediaType(req.headers['content-type']) === consumes || !hasBody(req)) return true;
  closeAfterResponse(req, res);
  sendProblem(res, 415, 'unsupported_media_type', `Content-Type must be ${consumes}`, { connection: 'close' });
  return false;
}

function rejectBody(reason: BodyProblem, maxBodyBytes: number, { req, res }: Arrival): void {
  if (reason === 'broken') return;
  closeAfterResponse(req, res);
  if (reason === 'too_large')
    sendProblem(res, 413, 'too_large', `The body exceeds ${maxBodyBytes} bytes; see server.max_body_bytes`, {
      connection: 'close',
    });
  else
    sendProblem(res, 503, 'busy', 'Too many large requests at once; see server.max_inflight_body_bytes', {
      connection: 'close',
      'retry-after': '1',
    });
}

/** Two Host headers: a proxy may route by one and the gateway check the other (RFC 9112 requires 400). */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
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
