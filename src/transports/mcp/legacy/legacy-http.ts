import { monotonic } from '../../../lib/clock.js';
import { randomUUID } from 'node:crypto';
import { hasSameRights } from '../../../core/gateway.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import type { Id } from '../../../wire/id.js';
import type { Decoded, Message, RpcRequest } from '../../../wire/message.js';
import { sseEvent, sseHeaders, sseKeepAlive } from '../../../wire/sse.js';
import { isLegacyVersion } from '../../../wire/versions.js';
import { serveBatch } from './batch.js';
import type { ChangeBroadcaster } from '../change-broadcaster.js';
import { legacySession } from './legacy-session.js';
import type { HttpContext } from '../../http/route.js';
import type { Heartbeat } from '../http/heartbeat.js';
import { viewOf } from '../http/view.js';
import { sendEmpty } from '../../http/respond.js';
import { sendRpcError, sendReply } from '../http/reply.js';
import type { McpDispatcher } from '../dispatcher.js';
import { PostStream, maxUnreadBytes } from '../http/post-stream.js';
import { eventNumber, resumableStream, streamIdOf } from './resumable-stream.js';
import type { ResumableStream } from './resumable-stream.js';
import type { SessionEntry, SessionTable } from './session-table.js';

/** Notifications buffered while no stream is open. */
const maxUndelivered = 512;
const maxResumables = 8;
const maxReplayBytes = 1_048_576;
const retryMs = 1_000;

/** Streamable HTTP of the legacy revisions: POST, the GET stream, DELETE. */
export interface LegacyHttp {
  post(context: HttpContext, decoded: Decoded, canStream: boolean): void | Promise<void>;
  openStream(context: HttpContext): void;
  endSession(context: HttpContext): void;
}

interface LegacyHttpOptions {
  readonly dispatcher: McpDispatcher;
  readonly broadcaster: ChangeBroadcaster;
  readonly sessions: SessionTable;
  readonly heartbeat: Heartbeat;
  /** Always answers with an event stream, even if nothing precedes the response. */
  readonly alwaysStream: boolean;
}

const requestIdOf = (decoded: Decoded): Id | null | undefined =>
  decoded.kind === 'request' || decoded.kind === 'response' ? decoded.id : null;

/** Sends a message that belongs to no request; buffers it until a stream is open. */
function pushToSession(entry: SessionEntry, text: string): void {
  const { stream } = entry;
  if (stream && !stream.destroyed && stream.writableLength <= maxUnreadBytes) stream.write(sseEvent(text));
  else {
    entry.undelivered ??= new Set();
    if (entry.undelivered.size < maxUndelivered) entry.undelivered.add(text);
  }
}

/** Handles POST, GET and DELETE of legacy sessions. */
export function legacyHttp({
  dispatcher,
  broadcaster,
  sessions,
  heartbeat,
  alwaysStream,
}: LegacyHttpOptions): LegacyHttp {
  /** Creates a resumable stream; replaces an ended one if the session has too many. */
  const newResumable = (entry: SessionEntry): ResumableStream | undefined => {
    const streams = (entry.resumables ??= new Map());
    if (streams.size >= maxResumables) {
      const ended = [...streams.values()].find((stream) => stream.endedAt !== undefined);
      if (!ended) return undefined;
      streams.delete(ended.id);
    }
    const id = randomUUID();
    const stream = resumableStream({ id, retryMs, maxBytes: maxReplayBytes, now: monotonic });
    streams.set(id, stream);
    return stream;
  };

  /** Finds the session of a request; sends the error and returns undefined if there is none. */
  const sessionOf = (context: HttpContext, id: Id | null | undefined): SessionEntry | undefined => {
    const { req, res, principal } = context;
    const given = req.headers['mcp-session-id'];
    const version = req.headers['mcp-protocol-version'];
    if (typeof given !== 'string') {
      sendRpcError(
        res,
        400,
        id,
        rpcError(rpcCodes.badRequest, 'The Mcp-Session-Id header is missing; send initialize first'),
      );
      return undefined;
    }
    // A session is bound to its principal and rights: a stolen id alone is useless (session hijacking).
    const found = sessions.find(given, principal.id);
    const entry = found && hasSameRights(found.session.view, viewOf(context)) ? found : undefined;
    if (!entry) sendRpcError(res, 404, id, rpcError(rpcCodes.sessionNotFound, 'Session not found'));
    else if (version !== undefined && !isLegacyVersion(version)) {
      sendRpcError(res, 400, id, rpcError(rpcCodes.badRequest, 'Unsupported protocol version'));
      return undefined;
    }
    return entry;
  };

  /** Opens a session; its id is returned in the Mcp-Session-Id header. */
  const initialize = async (context: HttpContext, request: RpcRequest): Promise<void> => {
    const { res, principal } = context;
    const entry: SessionEntry | undefined = sessions.open(principal.id, (id) =>
      legacySession(dispatcher, broadcaster, {
        view: viewOf(context),
        via: 'http',
        sessionId: id,
        // Use the entry directly: a look-up would refresh its idle timer, and list changes would keep dead clients alive.
        push: (text) => entry && pushToSession(entry, text),
      }),
    );
    if (!entry)
      return sendRpcError(
        res,
        503,
        request.id,
        rpcError(rpcCodes.badRequest, 'Too many sessions are open; try again later'),
        { 'retry-after': 60 },
      );
    const reply = await entry.session.handleRequest(request, { send: () => {} });
    if (reply && 'result' in reply) return sendReply(res, request.id, reply, 200, { 'mcp-session-id': entry.id });
    sessions.end(entry);
    return sendReply(res, request.id, reply ?? { error: rpcError(rpcCodes.internalError, 'Internal error') }, 200);
  };

  const handleMessage = async (
    entry: SessionEntry,
    context: HttpContext,
    message: Message,
    canStream: boolean,
  ): Promise<void> => {
    const { res } = context;
    const { session, id } = entry;
    if (message.kind === 'notification') session.handleNotification(message);
    if (message.kind === 'response') session.handleResponse(message);
    if (message.kind !== 'request') return sendEmpty(res, 202, { 'mcp-session-id': id });
    const isResumable = session.features?.primedStreams === true;
    const stream = new PostStream(res, {
      canStream,
      heartbeat,
      alwaysStream,
      ...(isResumable && { resumable: () => newResumable(entry) }),
    });
    stream.finish(message.id, await session.handleRequest(message, stream), 200);
    sessions.touch(entry);
  };

  return {
    post(context, decoded, canStream) {
      const { req, res } = context;
      if (decoded.kind === 'invalid') return sendRpcError(res, 400, decoded.id ?? null, decoded.error);
      const isNew = req.headers['mcp-session-id'] === undefined;
      if (isNew && decoded.kind === 'request' && decoded.method === 'initialize') return initialize(context, decoded);
      const entry = sessionOf(context, requestIdOf(decoded));
      if (!entry) return undefined;
      if (decoded.kind !== 'batch') return handleMessage(entry, context, decoded, canStream);
      return serveBatch(entry.session, decoded.messages, res, canStream);
    },
    openStream(context) {
      const { req, res } = context;
      if (!req.headers.accept?.includes('text/event-stream'))
        return sendRpcError(res, 406, null, rpcError(rpcCodes.badRequest, 'Accept must include text/event-stream'));
      // Modern clients do not open this stream; a client without a session cannot.
      if (req.headers['mcp-session-id'] === undefined) return sendEmpty(res, 405, { allow: 'POST' });
      const entry = sessionOf(context, null);
      if (!entry) return undefined;
      const lastEvent = req.headers['last-event-id'];
      if (typeof lastEvent === 'string' && lastEvent !== '') {
        const stream = entry.resumables?.get(streamIdOf(lastEvent));
        const number = eventNumber(lastEvent);
        if (stream && number !== undefined) {
          res.writeHead(200, sseHeaders);
          return stream.attach(res, number);
        }
      }
      // The newest stream wins: a reconnecting client must not wait until its dead connection times out.
      entry.stream?.end();
      entry.stream = res;
      res.writeHead(200, sseHeaders);
      res.write(sseKeepAlive);
      for (const text of entry.undelivered ?? []) res.write(sseEvent(text));
      entry.undelivered = undefined;
      const keepAlive = {
        onHeartbeat(): void {
          if (!res.writableNeedDrain) res.write(sseKeepAlive);
        },
      };
      const node = heartbeat.add(keepAlive);
      res.once('close', () => {
        heartbeat.delete(node);
        if (entry.stream === res) entry.stream = undefined;
        sessions.touch(entry);
      });
      return undefined;
    },
    endSession(context) {
      if (context.req.headers['mcp-session-id'] === undefined) return sendEmpty(context.res, 405, { allow: 'POST' });
      const entry = sessionOf(context, null);
      if (!entry) return undefined;
      sessions.end(entry);
      return sendEmpty(context.res, 200);
    },
  };
}
