import type { Gateway, View } from '../../../core/gateway.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { clientLimits, decode } from '../../../wire/message.js';
import type { Decoded, MessageLimits, RpcRequest } from '../../../wire/message.js';
import { claimedVersion } from '../../../wire/meta.js';
import { isLegacyVersion } from '../../../wire/versions.js';
import { changeBroadcaster } from '../change-broadcaster.js';
import type { HttpContext } from '../../http/edge/route.js';
import { viewOf } from './view.js';
import { startHeartbeat } from './heartbeat.js';
import { sendEmpty, sendUnknownRoute } from '../../http/edge/respond.js';
import { sendRpcError } from './reply.js';
import { legacyHttp } from '../legacy/legacy-http.js';
import { subscriptionTable } from '../subscriptions.js';
import { mcpDispatcher } from '../dispatcher.js';
import type { McpOptions } from '../dispatcher.js';
import { modernProtocol, httpStatusOf } from '../modern.js';
import { PostStream } from './post-stream.js';
import { sessionRelay, type SessionChannel } from '../legacy/session-relay.js';
import { sessionLimits, sessionTable } from '../legacy/session-table.js';
import type { SessionLimits } from '../legacy/session-table.js';
import { sessionVault } from '../legacy/session-vault.js';
import type { SessionVault } from '../legacy/session-vault.js';
import { ssePair } from '../legacy/sse-pair.js';
import type { SsePair } from '../legacy/sse-pair.js';

/** Options of the MCP endpoint. */
export interface McpEndpointOptions extends McpOptions {
  readonly sessions?: Partial<SessionLimits>;
  /** Seals legacy sessions into their ids; by default they end with the process. */
  readonly vault?: SessionVault;
  /** Reaches other replicas that serve the same sessions. */
  readonly channel?: SessionChannel | undefined;
  readonly limits?: Partial<MessageLimits>;
  /** Whether the principal may use the profile of a URL; by default no profile exists. */
  readonly isUsableView?: (view: View) => boolean;
  readonly heartbeatMs?: number;
  /** Response format of legacy requests without notifications: `json` is cheaper, `stream` makes every response resumable. */
  readonly legacyAnswers?: 'json' | 'stream';
}

/** MCP endpoint: one URL that serves modern and legacy clients. */
export interface McpEndpoint {
  handle(context: HttpContext): void | Promise<void>;
  /** Creates the deprecated HTTP+SSE pair of 2024-11-05 over the same dispatcher. */
  ssePair(messagesPath: string): SsePair;
  /** Ends every stream, session and task. */
  close(): Promise<void>;
  stats(): { readonly sessions: number; readonly subscriptions: number; readonly tasks: number };
}

/** Interval at which idle sessions are expired. */
const sweepMs = 30_000;
/** Accept header of the official SDKs, compared first because it is the common case. */
const usualAccept = 'application/json, text/event-stream';

/** Whether an Accept header admits a media type; without the header everything is accepted. */
const acceptsType = (accept: string | undefined, type: string): boolean =>
  accept === undefined ||
  accept.includes(type) ||
  accept.includes('*/*') ||
  accept.includes(`${type.slice(0, type.indexOf('/'))}/*`);

/** Whether a message is modern: the body claims a version, or the header names a non-legacy one. */
function isModern(decoded: Decoded, version: string | string[] | undefined, hasSession: boolean): boolean {
  if ((decoded.kind === 'request' || decoded.kind === 'notification') && claimedVersion(decoded.params) !== undefined)
    return true;
  return (
    version !== undefined &&
    !isLegacyVersion(version) &&
    !hasSession &&
    !(decoded.kind === 'request' && decoded.method === 'initialize')
  );
}

/** Builds the endpoint; `close` ends all streams, sessions and tasks. */
export function mcpEndpoint(gateway: Gateway, options: McpEndpointOptions): McpEndpoint {
  const dispatcher = mcpDispatcher(gateway, options);
  const broadcaster = changeBroadcaster(gateway);
  const subscriptions = subscriptionTable(dispatcher, broadcaster);
  // Both generations share one dispatcher, so that a tool behaves the same in either.
  const modern = modernProtocol(dispatcher, subscriptions);
  const sessions = sessionTable({ ...sessionLimits, ...options.sessions });
  const heartbeat = startHeartbeat(options.heartbeatMs ?? 15_000);
  const legacy = legacyHttp({
    dispatcher,
    broadcaster,
    sessions,
    vault: options.vault ?? sessionVault(),
    heartbeat,
    alwaysStream: options.legacyAnswers === 'stream',
    relay: options.channel && sessionRelay(options.channel, sessions),
  });
  const limits = { ...clientLimits, ...options.limits };
  // Unreferenced: the timer must not keep a stopping process alive.
  const sweeper = setInterval(() => sessions.sweep(), sweepMs).unref();

  /** Answers one modern request. */
  const serveModern = async (context: HttpContext, request: RpcRequest, canStream: boolean): Promise<void> => {
    const { req, res, signal } = context;
    // Principal and profile of this request, which every generation checks.
    const view = viewOf(context);
    const envelope = modern.validate(request, view, req.headers);
    if ('code' in envelope) return sendRpcError(res, 400, request.id, envelope);
    // A subscription without a stream could send nothing.
    if (request.method === 'subscriptions/listen' && !canStream)
      return sendRpcError(
        res,
        406,
        request.id,
        rpcError(rpcCodes.invalidRequest, 'Accept must include text/event-stream'),
      );
    const stream = new PostStream(res, { canStream, heartbeat });
    const reply = await modern.handle(request, envelope, { view, via: 'http', signal, sink: stream });
    // Errors of the envelope are HTTP errors; errors of a call travel in the body.
    return stream.finish(request.id, reply, 'error' in reply ? httpStatusOf(reply.error) : 200);
  };

  /** Decodes a POST body and dispatches it by protocol generation. */
  const post = (context: HttpContext): void | Promise<void> => {
    const { req, res, body, principal, peer } = context;
    const { accept } = req.headers;
    if (accept !== usualAccept && !acceptsType(accept, 'application/json')) {
      return sendRpcError(
        res,
        406,
        null,
        rpcError(rpcCodes.badRequest, 'Accept must include application/json and text/event-stream'),
      );
    }
    const canStream = accept === usualAccept || acceptsType(accept, 'text/event-stream');
    const decoded = decode(body, limits);
    // Recorded before the generation is known: a body that is no message could have been a call.
    if (decoded.kind === 'invalid')
      options.onUnreadable?.({ principal, peer, via: 'http', message: decoded.error.message });
    if (!isModern(decoded, req.headers['mcp-protocol-version'], req.headers['mcp-session-id'] !== undefined)) {
      // A batch that mixes generations has no defined answer.
      if (decoded.kind === 'batch' && decoded.messages.some((part) => isModern(part, undefined, true))) {
        return sendRpcError(
          res,
          400,
          undefined,
          rpcError(rpcCodes.invalidRequest, 'This protocol version has no batches'),
        );
      }
      return legacy.post(context, decoded, canStream);
    }
    if (decoded.kind === 'request') return serveModern(context, decoded, canStream);
    // Modern notifications change nothing on the server.
    if (decoded.kind === 'notification') return sendEmpty(res, 202);
    if (decoded.kind === 'invalid') return sendRpcError(res, 400, decoded.id ?? undefined, decoded.error);
    return sendRpcError(
      res,
      400,
      undefined,
      rpcError(rpcCodes.invalidRequest, 'Batches and responses are not supported in this protocol version'),
    );
  };

  const { isUsableView = ({ profile }) => profile === undefined } = options;

  const route = (context: HttpContext): void | Promise<void> => {
    // A profile that the caller may not use is answered like an unknown route, so that names cannot be guessed.
    if (!isUsableView(viewOf(context))) return sendUnknownRoute(context.res);
    const { method } = context.req;
    if (method === 'POST') return post(context);
    if (method === 'GET') return legacy.openStream(context);
    if (method === 'DELETE') return legacy.endSession(context);
    return sendEmpty(context.res, 405, { allow: 'GET, POST, DELETE' });
  };

  /** Reports an unexpected error; the client only gets `Internal error`. */
  const handleBug = (context: HttpContext, error: unknown): void => {
    options.onBug?.(error, `${context.req.method} ${context.pathname}`);
    // Half a response cannot be corrected, so the connection is closed.
    if (context.res.headersSent) context.res.destroy();
    else sendRpcError(context.res, 500, null, rpcError(rpcCodes.internalError, 'Internal error'));
  };

  const pairs: SsePair[] = [];

  return {
    ssePair(messagesPath) {
      const pair = ssePair({
        dispatcher,
        broadcaster,
        heartbeat,
        limits,
        onUnreadable: options.onUnreadable,
        max: options.sessions?.max ?? sessionLimits.max,
        messagesPath,
      });
      pairs.push(pair);
      return pair;
    },
    handle(context) {
      try {
        const work = route(context);
        // Only asynchronous failures need a handler; a synchronous one is caught below.
        return work instanceof Promise ? work.catch((error: unknown) => handleBug(context, error)) : undefined;
      } catch (error) {
        return handleBug(context, error);
      }
    },
    async close() {
      // Timers first, then streams, then what they use.
      clearInterval(sweeper);
      heartbeat.stop();
      subscriptions.close();
      sessions.close();
      for (const pair of pairs) pair.close();
      broadcaster.close();
      await dispatcher.close();
    },
    stats: () => ({
      sessions: pairs.reduce((sum, pair) => sum + pair.open, sessions.size),
      subscriptions: subscriptions.open,
      tasks: dispatcher.tasks.running,
    }),
  };
}
