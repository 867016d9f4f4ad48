import type { Gateway } from '../../core/gateway.js';
import { codes, rpcError } from '../../wire/codes.js';
import { decode, messageLimits } from '../../wire/message.js';
import type { Decoded, MessageLimits, RpcRequest } from '../../wire/message.js';
import { claimedVersion } from '../../wire/meta.js';
import { isLegacyVersion } from '../../wire/versions.js';
import { changes } from './changes.js';
import type { Exchange } from './exchange.js';
import { heartbeat } from './heartbeat.js';
import { sendEmpty, sendError } from './http-reply.js';
import { legacyHttp } from './legacy-http.js';
import { listens } from './listen.js';
import { protocol } from './methods.js';
import type { ProtocolOptions } from './methods.js';
import { modernEra, statusOf } from './modern.js';
import { PostStream } from './post-stream.js';
import { sessionLimits, sessions } from './sessions.js';
import type { SessionLimits } from './sessions.js';
import { ssePair } from './sse-pair.js';
import type { SsePair } from './sse-pair.js';

export interface McpEndpointOptions extends ProtocolOptions {
  readonly sessions?: Partial<SessionLimits>;
  readonly limits?: Partial<MessageLimits>;
  /** The profile a URL stands for; lists vary by it and by the principal only. */
  readonly profileOf?: (pathname: string) => string | undefined;
  readonly heartbeatMs?: number;
  /** How a legacy session is answered where nothing comes before the answer; `json` costs less, `stream` lets a client come back for every answer. */
  readonly legacyAnswers?: 'json' | 'stream';
}

/** The one URL that serves both protocol eras. */
export interface McpEndpoint {
  handle(exchange: Exchange): void | Promise<void>;
  /** The deprecated pair of URLs of 2024-11-05, over the same methods; made only where it is switched on. */
  ssePair(messagesPath: string): SsePair;
  /** Ends every stream, session and task. */
  close(): Promise<void>;
  stats(): { readonly sessions: number; readonly subscriptions: number; readonly tasks: number };
}

const sweepMs = 30_000;
const both = 'application/json, text/event-stream';

const takes = (accept: string | undefined, type: string): boolean =>
  accept === undefined ||
  accept.includes(type) ||
  accept.includes('*/*') ||
  accept.includes(`${type.slice(0, type.indexOf('/'))}/*`);

const isJson = (type: string | undefined): boolean =>
  type === 'application/json' || /^application\/json\s*(?:;|$)/i.test(type ?? '');

/** Whether a message belongs to the modern era: its body claims a version, or its header names one that is not of the legacy era. */
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

export function mcpEndpoint(gateway: Gateway, options: McpEndpointOptions): McpEndpoint {
  const door = protocol(gateway, options);
  const hub = changes(gateway);
  const subscriptions = listens(door, hub);
  const modern = modernEra(door, subscriptions);
  const table = sessions({ ...sessionLimits, ...options.sessions });
  const pulse = heartbeat(options.heartbeatMs ?? 15_000);
  const profileOf = ({ pathname }: Exchange): string | undefined => options.profileOf?.(pathname);
  const legacy = legacyHttp({
    protocol: door,
    changes: hub,
    sessions: table,
    heartbeat: pulse,
    profileOf,
    eager: options.legacyAnswers === 'stream',
  });
  const limits = { ...messageLimits, ...options.limits };
  const sweeper = setInterval(() => table.sweep(), sweepMs).unref();

  const serveModern = async (exchange: Exchange, request: RpcRequest, canStream: boolean): Promise<void> => {
    const { req, res, principal, signal } = exchange;
    const profile = profileOf(exchange);
    const view = profile === undefined ? { principal } : { principal, profile };
    const envelope = modern.admit(request, view, req.headers);
    if ('code' in envelope) return sendError(res, 400, request.id, envelope);
    if (request.method === 'subscriptions/listen' && !canStream)
      return sendError(res, 406, request.id, rpcError(codes.invalidRequest, 'Accept must include text/event-stream'));
    const stream = new PostStream(res, { canStream, heartbeat: pulse });
    const reply = await modern.answer(request, envelope, { view, via: 'http', signal, outlet: stream });
    return stream.finish(request.id, reply, 'error' in reply ? statusOf(reply.error) : 200);
  };

  const post = (exchange: Exchange): void | Promise<void> => {
    const { req, res, body } = exchange;
    const { accept } = req.headers;
    if (!isJson(req.headers['content-type']))
      return sendError(res, 415, null, rpcError(codes.badRequest, 'Content-Type must be application/json'));
    if (accept !== both && !takes(accept, 'application/json')) {
      return sendError(
        res,
        406,
        null,
        rpcError(codes.badRequest, 'Accept must include application/json and text/event-stream'),
      );
    }
    const canStream = accept === both || takes(accept, 'text/event-stream');
    const decoded = decode(body, limits);
    if (!isModern(decoded, req.headers['mcp-protocol-version'], req.headers['mcp-session-id'] !== undefined)) {
      if (decoded.kind === 'batch' && decoded.messages.some((part) => isModern(part, undefined, true))) {
        return sendError(res, 400, undefined, rpcError(codes.invalidRequest, 'This protocol version has no batches'));
      }
      return legacy.post(exchange, decoded, canStream);
    }
    if (decoded.kind === 'request') return serveModern(exchange, decoded, canStream);
    if (decoded.kind === 'notification') return sendEmpty(res, 202);
    if (decoded.kind === 'invalid') return sendError(res, 400, decoded.id ?? undefined, decoded.error);
    return sendError(
      res,
      400,
      undefined,
      rpcError(codes.invalidRequest, 'Batches and responses have no place in this protocol version'),
    );
  };

  const route = (exchange: Exchange): void | Promise<void> => {
    const { method } = exchange.req;
    if (method === 'POST') return post(exchange);
    if (method === 'GET') return legacy.openStream(exchange);
    if (method === 'DELETE') return legacy.endSession(exchange);
    return sendEmpty(exchange.res, 405, { allow: 'GET, POST, DELETE' });
  };

  const failed = (exchange: Exchange, error: unknown): void => {
    options.onBug?.(error, `${exchange.req.method} ${exchange.pathname}`);
    if (exchange.res.headersSent) exchange.res.destroy();
    else sendError(exchange.res, 500, null, rpcError(codes.internalError, 'Internal error'));
  };

  const pairs: SsePair[] = [];

  return {
    ssePair(messagesPath) {
      const pair = ssePair({
        protocol: door,
        changes: hub,
        heartbeat: pulse,
        limits,
        max: options.sessions?.max ?? sessionLimits.max,
        messagesPath,
        profileOf,
      });
      pairs.push(pair);
      return pair;
    },
    handle(exchange) {
      try {
        const work = route(exchange);
        return work instanceof Promise ? work.catch((error: unknown) => failed(exchange, error)) : undefined;
      } catch (error) {
        return failed(exchange, error);
      }
    },
    async close() {
      clearInterval(sweeper);
      pulse.stop();
      subscriptions.close();
      table.close();
      for (const pair of pairs) pair.close();
      hub.close();
      await door.close();
    },
    stats: () => ({
      sessions: pairs.reduce((sum, pair) => sum + pair.open, table.size),
      subscriptions: subscriptions.open,
      tasks: door.tasks.running,
    }),
  };
}
