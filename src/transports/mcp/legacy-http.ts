import { randomUUID } from 'node:crypto';
import { isSameStanding, type View } from '../../core/gateway.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { Id } from '../../wire/id.js';
import type { Decoded, Message, RpcRequest } from '../../wire/message.js';
import { sseEvent, sseHeaders, sseKeepAlive } from '../../wire/sse.js';
import { isLegacyVersion } from '../../wire/versions.js';
import { serveBatch } from './batch.js';
import type { Changes } from './changes.js';
import { conversation } from './conversation.js';
import type { Exchange } from './exchange.js';
import type { Heartbeat } from './heartbeat.js';
import { sendEmpty, sendError, sendReply } from './http-reply.js';
import type { Protocol } from './methods.js';
import { PostStream, maxUnreadBytes } from './post-stream.js';
import { eventNumber, resumable, streamOf } from './resumable.js';
import type { Resumable } from './resumable.js';
import type { Session, Sessions } from './sessions.js';

const maxMissed = 512;
const maxResumables = 8;
const maxKeptBytes = 1_048_576;
const retryMs = 1_000;

/** The sessions of the legacy era over HTTP: POST, the GET stream, DELETE. */
export interface LegacyHttp {
  post(exchange: Exchange, decoded: Decoded, canStream: boolean): void | Promise<void>;
  openStream(exchange: Exchange): void;
  endSession(exchange: Exchange): void;
}

interface Parts {
  readonly protocol: Protocol;
  readonly changes: Changes;
  readonly sessions: Sessions;
  readonly heartbeat: Heartbeat;
  readonly profileOf: (exchange: Exchange) => string | undefined;
  /** Answers requests of a session by a stream even where a JSON object would do. */
  readonly eager: boolean;
}

const idOf = (decoded: Decoded): Id | null | undefined =>
  decoded.kind === 'request' || decoded.kind === 'response' ? decoded.id : null;

/** Sends what belongs to no request, or keeps it until a stream is open. */
function push(session: Session, text: string): void {
  const { stream } = session;
  if (stream && !stream.destroyed && stream.writableLength <= maxUnreadBytes) stream.write(sseEvent(text));
  else {
    session.missed ??= new Set();
    if (session.missed.size < maxMissed) session.missed.add(text);
  }
}

export function legacyHttp({ protocol, changes, sessions, heartbeat, profileOf, eager }: Parts): LegacyHttp {
  const newResumable = (session: Session): Resumable | undefined => {
    const kept = (session.resumables ??= new Map());
    if (kept.size >= maxResumables) {
      const ended = [...kept.values()].find((stream) => stream.endedAt !== undefined);
      if (!ended) return undefined;
      kept.delete(ended.id);
    }
    const id = randomUUID();
    const stream = resumable({ id, retryMs, maxBytes: maxKeptBytes, now: Date.now });
    kept.set(id, stream);
    return stream;
  };

  const viewOf = (exchange: Exchange): View => {
    const profile = profileOf(exchange);
    return { principal: exchange.principal, ...(profile !== undefined && { profile }) };
  };

  /** The session a request belongs to, or undefined after it was refused. */
  const sessionOf = (exchange: Exchange, id: Id | null | undefined): Session | undefined => {
    const { req, res, principal } = exchange;
    const given = req.headers['mcp-session-id'];
    const version = req.headers['mcp-protocol-version'];
    if (typeof given !== 'string') {
      sendError(
        res,
        400,
        id,
        rpcError(codes.badRequest, 'The Mcp-Session-Id header is missing; send initialize first'),
      );
      return undefined;
    }
    const found = sessions.find(given, principal.id);
    const session = found && isSameStanding(found.conversation.view, viewOf(exchange)) ? found : undefined;
    if (!session) sendError(res, 404, id, rpcError(codes.sessionNotFound, 'Session not found'));
    else if (version !== undefined && !isLegacyVersion(version)) {
      sendError(res, 400, id, rpcError(codes.badRequest, 'Unsupported protocol version'));
      return undefined;
    }
    return session;
  };

  const initialize = async (exchange: Exchange, request: RpcRequest): Promise<void> => {
    const { res, principal } = exchange;
    const session: Session | undefined = sessions.open(principal.id, (id) =>
      conversation(protocol, changes, {
        view: viewOf(exchange),
        via: 'http',
        session: id,
        // Straight to the session: looking it up would count as use, and list changes would keep dead clients alive.
        push: (text) => session && push(session, text),
      }),
    );
    if (!session)
      return sendError(
        res,
        503,
        request.id,
        rpcError(codes.badRequest, 'Too many sessions are open; try again later'),
        { 'retry-after': 60 },
      );
    const reply = await session.conversation.answer(request, { send: () => {} });
    if (reply && 'result' in reply) return sendReply(res, request.id, reply, 200, { 'mcp-session-id': session.id });
    sessions.end(session);
    return sendReply(res, request.id, reply ?? { error: rpcError(codes.internalError, 'Internal error') }, 200);
  };

  const single = async (session: Session, exchange: Exchange, message: Message, canStream: boolean): Promise<void> => {
    const { res } = exchange;
    const { conversation, id } = session;
    if (message.kind === 'notification') conversation.notified(message);
    if (message.kind === 'response') conversation.settle(message);
    if (message.kind !== 'request') return sendEmpty(res, 202, { 'mcp-session-id': id });
    const primed = conversation.features?.primedStreams === true;
    const stream = new PostStream(res, {
      canStream,
      heartbeat,
      eager,
      ...(primed && { resumable: () => newResumable(session) }),
    });
    stream.finish(message.id, await conversation.answer(message, stream), 200);
    session.usedAt = Date.now();
  };

  return {
    post(exchange, decoded, canStream) {
      const { req, res } = exchange;
      if (decoded.kind === 'invalid') return sendError(res, 400, decoded.id ?? null, decoded.error);
      const fresh = req.headers['mcp-session-id'] === undefined;
      if (fresh && decoded.kind === 'request' && decoded.method === 'initialize') return initialize(exchange, decoded);
      const session = sessionOf(exchange, idOf(decoded));
      if (!session) return undefined;
      if (decoded.kind !== 'batch') return single(session, exchange, decoded, canStream);
      return serveBatch(session.conversation, decoded.messages, res, canStream);
    },
    openStream(exchange) {
      const { req, res } = exchange;
      if (!req.headers.accept?.includes('text/event-stream'))
        return sendError(res, 406, null, rpcError(codes.badRequest, 'Accept must include text/event-stream'));
      // A modern client has no use for this; a client without a session is told that it cannot have one.
      if (req.headers['mcp-session-id'] === undefined) return sendEmpty(res, 405, { allow: 'POST' });
      const session = sessionOf(exchange, null);
      if (!session) return undefined;
      const lastEvent = req.headers['last-event-id'];
      if (typeof lastEvent === 'string' && lastEvent !== '') {
        const log = session.resumables?.get(streamOf(lastEvent));
        const number = eventNumber(lastEvent);
        if (log && number !== undefined) {
          res.writeHead(200, sseHeaders);
          return log.attach(res, number);
        }
      }
      // The newest stream wins: a client that comes back must not wait until its dead connection is noticed.
      session.stream?.end();
      session.stream = res;
      res.writeHead(200, sseHeaders);
      res.write(sseKeepAlive);
      for (const text of session.missed ?? []) res.write(sseEvent(text));
      session.missed = undefined;
      const alive = {
        beat(): void {
          if (!res.writableNeedDrain) res.write(sseKeepAlive);
        },
      };
      const place = heartbeat.add(alive);
      res.once('close', () => {
        heartbeat.delete(place);
        if (session.stream === res) session.stream = undefined;
        session.usedAt = Date.now();
      });
      return undefined;
    },
    endSession(exchange) {
      if (exchange.req.headers['mcp-session-id'] === undefined) return sendEmpty(exchange.res, 405, { allow: 'POST' });
      const session = sessionOf(exchange, null);
      if (!session) return undefined;
      sessions.end(session);
      return sendEmpty(exchange.res, 200);
    },
  };
}
