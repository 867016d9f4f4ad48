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
import type { LegacySessionOptions } from './legacy-session.js';
import { rightsDigest } from './session-vault.js';
import type { SessionVault } from './session-vault.js';
import { after } from '../../../lib/soon.js';
import type { Soon } from '../../../lib/soon.js';
import type { ServerResponse } from 'node:http';
import type { HttpContext } from '../../http/edge/route.js';
import type { Heartbeat } from '../http/heartbeat.js';
import { viewOf } from '../http/view.js';
import { sendEmpty } from '../../http/edge/respond.js';
import { sendRpcError, sendReply } from '../http/reply.js';
import type { McpDispatcher } from '../dispatcher.js';
import { PostStream, maxUnreadBytes } from '../http/post-stream.js';
import { eventNumber, resumableStream, streamIdOf } from './resumable-stream.js';
import type { ResumableStream } from './resumable-stream.js';
import type { SessionRelay } from './session-relay.js';
import type { SessionEntry, SessionTable } from './session-table.js';

/** Notifications buffered while no stream is open. */
const maxUndelivered = 512;
/** Streams of one session that can be resumed after a lost connection. */
const maxResumables = 8;
/** Events kept for one of them. */
const maxReplayBytes = 1_048_576;
/** Delay that clients are asked to wait before they reconnect. */
const retryMs = 1_000;

/** Streamable HTTP of the legacy revisions: POST, the GET stream, DELETE. */
interface LegacyHttp {
  post(context: HttpContext, decoded: Decoded, canStream: boolean): void | Promise<void>;
  openStream(context: HttpContext): void | Promise<void>;
  endSession(context: HttpContext): void | Promise<void>;
}

/** What the sessions of one endpoint share. */
interface LegacyHttpOptions {
  readonly dispatcher: McpDispatcher;
  readonly broadcaster: ChangeBroadcaster;
  readonly sessions: SessionTable;
  readonly vault: SessionVault;
  readonly heartbeat: Heartbeat;
  /** Always answers with an event stream, even if nothing precedes the response. */
  readonly alwaysStream: boolean;
  /** Reaches what other replicas hold of the same sessions. */
  readonly relay?: SessionRelay | undefined;
}

/** Id for an error response; notifications and batches have none. */
const requestIdOf = (decoded: Decoded): Id | null | undefined =>
  decoded.kind === 'request' || decoded.kind === 'response' ? decoded.id : null;

/** Sends a message that belongs to no request; buffers it until a stream is open. */
function pushToSession(entry: SessionEntry, text: string): void {
  const { stream } = entry;
  if (stream && !stream.destroyed && stream.writableLength <= maxUnreadBytes) stream.write(sseEvent(text));
  else {
    // Allocated with the first buffered message: most sessions never need it.
    entry.undelivered ??= new Set();
    if (entry.undelivered.size < maxUndelivered) entry.undelivered.add(text);
  }
}

/** Handles POST, GET and DELETE of legacy sessions. */
export function legacyHttp({
  dispatcher,
  broadcaster,
  sessions,
  vault,
  heartbeat,
  alwaysStream,
  relay,
}: LegacyHttpOptions): LegacyHttp {
  /** Creates a resumable stream; replaces an ended one if the session has too many. */
  const newResumable = (entry: SessionEntry): ResumableStream | undefined => {
    const streams = (entry.resumables ??= new Map());
    if (streams.size >= maxResumables) {
      // Only an ended stream may go; one in use still has a reader.
      const ended = [...streams.values()].find((stream) => stream.endedAt !== undefined);
      if (!ended) return undefined;
      streams.delete(ended.id);
    }
    const id = `${relay?.prefix ?? ''}${randomUUID()}`;
    const stream = resumableStream({ id, retryMs, maxBytes: maxReplayBytes, now: monotonic });
    streams.set(id, stream);
    return stream;
  };

  // Opens a session under a new id, or under the one of a restored session.
  const begin = (
    context: HttpContext,
    id: string | undefined,
    restored?: NonNullable<LegacySessionOptions['restored']>,
  ): SessionEntry | undefined => {
    const entry: SessionEntry | undefined = sessions.open(
      context.principal.id,
      (sessionId) =>
        legacySession(dispatcher, broadcaster, {
          view: viewOf(context),
          via: 'http',
          sessionId,
          // Use the entry directly: a look-up would refresh its idle timer, and list changes would keep dead clients alive.
          push: (text) => entry && pushToSession(entry, text),
          onNotes: (notes) => void (entry?.sealed && vault.note(entry.sealed, notes)),
          ...(restored && { restored }),
          idPrefix: relay?.prefix,
        }),
      id,
    );
    return entry;
  };
  // 503 with a delay, so that clients retry instead of giving up.
  const refuseCrowded = (res: ServerResponse, id: Id | null | undefined): void =>
    sendRpcError(res, 503, id, rpcError(rpcCodes.badRequest, 'Too many sessions are open; try again later'), {
      'retry-after': 60,
    });

  /** Finds the session of a request, or restores it from its id; sends the error and returns undefined if there is none. */
  const sessionOf = (context: HttpContext, id: Id | null | undefined): Soon<SessionEntry | undefined> => {
    const { req, res, principal } = context;
    const given = req.headers['mcp-session-id'];
    const version = req.headers['mcp-protocol-version'];
    // The header is mandatory after `initialize`.
    if (typeof given !== 'string') {
      sendRpcError(
        res,
        400,
        id,
        rpcError(rpcCodes.badRequest, 'The Mcp-Session-Id header is missing; send initialize first'),
      );
      return undefined;
    }
    const notFound = (): undefined =>
      void sendRpcError(res, 404, id, rpcError(rpcCodes.sessionNotFound, 'Session not found'));
    const checkVersion = (entry: SessionEntry): SessionEntry | undefined => {
      if (version === undefined || isLegacyVersion(version)) return entry;
      sendRpcError(res, 400, id, rpcError(rpcCodes.badRequest, 'Unsupported protocol version'));
      return undefined;
    };
    const sealed = vault.open(given);
    if (sealed === undefined) return notFound();
    const view = viewOf(context);
    // A session is bound to its principal and rights: a stolen id alone is useless (session hijacking).
    const found = sessions.find(sealed.id, principal.id);
    // Ended by another replica, which this one learns with the next request.
    if (found && vault.isEnded(sealed)) {
      sessions.end(found);
      return notFound();
    }
    if (found) return hasSameRights(found.session.view, view) ? checkVersion(found) : notFound();
    // Rights that changed since the id was issued end the session.
    if (sealed.rights !== rightsDigest(view)) return notFound();
    return after(vault.recall(sealed), (notes) => {
      if (notes === 'ended') return notFound();
      // A concurrent request may have restored it meanwhile.
      const restored =
        sessions.find(sealed.id, principal.id) ??
        begin(context, sealed.id, { version: sealed.version, capabilities: sealed.capabilities, notes });
      if (restored === undefined) return void refuseCrowded(res, id);
      restored.sealed = { ...sealed, token: given };
      return checkVersion(restored);
    });
  };

  /** Opens a session; its id is returned in the Mcp-Session-Id header. */
  const initialize = async (context: HttpContext, request: RpcRequest): Promise<void> => {
    const { res } = context;
    const entry = begin(context, undefined);
    if (!entry) return refuseCrowded(res, request.id);
    // The first request has no stream to send on.
    const reply = await entry.session.handleRequest(request, { send: () => {} });
    const { features, capabilities } = entry.session;
    if (reply && 'result' in reply && features) {
      // The id is sealed: it carries what another process needs to continue the session.
      const token = vault.seal({
        id: entry.id,
        rights: rightsDigest(entry.session.view),
        version: features.version,
        capabilities,
      });
      const sealed = vault.open(token);
      if (sealed) entry.sealed = { ...sealed, token };
      return sendReply(res, request.id, reply, 200, { 'mcp-session-id': token });
    }
    // A refused handshake leaves no session behind.
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
    const { session, sealed } = entry;
    // Notifications and responses are acknowledged with 202 and no body.
    if (message.kind === 'notification') {
      session.handleNotification(message);
      const { requestId } = message.params;
      // The request may run on another replica: a plain balancer sends each message anywhere.
      if (
        message.method === 'notifications/cancelled' &&
        (typeof requestId === 'string' || typeof requestId === 'number')
      )
        relay?.cancel(entry, requestId);
    }
    // A response may answer a question that another replica asked.
    if (message.kind === 'response' && relay?.reply(entry, message) !== true) session.handleResponse(message);
    if (message.kind !== 'request') return sendEmpty(res, 202, sealed && { 'mcp-session-id': sealed.token });
    const isResumable = session.features?.primedStreams === true;
    const stream = new PostStream(res, {
      canStream,
      heartbeat,
      alwaysStream,
      ...(isResumable && { resumable: () => newResumable(entry) }),
    });
    stream.finish(message.id, await session.handleRequest(message, stream), 200);
    // Also after a long call: the idle time starts with its end.
    sessions.touch(entry);
  };

  // Resumes a known stream, or opens the one that carries notifications.
  const attachStream = (entry: SessionEntry, { req, res }: HttpContext): void => {
    const lastEvent = req.headers['last-event-id'];
    if (typeof lastEvent === 'string' && lastEvent !== '') {
      const stream = entry.resumables?.get(streamIdOf(lastEvent));
      const number = eventNumber(lastEvent);
      if (stream && number !== undefined) {
        res.writeHead(200, sseHeaders);
        return stream.attach(res, number);
      }
      if (number !== undefined && relay?.resume(entry, streamIdOf(lastEvent), number, res) === true)
        return void res.writeHead(200, sseHeaders).flushHeaders();
    }
    // The newest stream wins: a reconnecting client must not wait until its dead connection times out.
    entry.stream?.end();
    entry.stream = res;
    res.writeHead(200, sseHeaders);
    res.write(sseKeepAlive);
    for (const text of entry.undelivered ?? []) res.write(sseEvent(text));
    entry.undelivered = undefined;
    // Subscriptions of a restored session start when there is a stream for their updates.
    entry.session.resumeWatches();
    const keepAlive = {
      onHeartbeat(): void {
        // A stalled reader gets no keep-alive: its buffer would only grow.
        if (!res.writableNeedDrain) res.write(sseKeepAlive);
      },
    };
    const node = heartbeat.add(keepAlive);
    res.once('close', () => {
      heartbeat.delete(node);
      // Only if no newer stream has taken its place.
      if (entry.stream === res) entry.stream = undefined;
      sessions.touch(entry);
    });
    return undefined;
  };

  return {
    post(context, decoded, canStream) {
      const { req, res } = context;
      if (decoded.kind === 'invalid') return sendRpcError(res, 400, decoded.id ?? null, decoded.error);
      const isNew = req.headers['mcp-session-id'] === undefined;
      if (isNew && decoded.kind === 'request' && decoded.method === 'initialize') return initialize(context, decoded);
      return after(sessionOf(context, requestIdOf(decoded)), (entry) => {
        if (!entry) return undefined;
        if (decoded.kind !== 'batch') return handleMessage(entry, context, decoded, canStream);
        return serveBatch(entry.session, decoded.messages, res, canStream);
      });
    },
    openStream(context) {
      const { req, res } = context;
      if (!req.headers.accept?.includes('text/event-stream'))
        return sendRpcError(res, 406, null, rpcError(rpcCodes.badRequest, 'Accept must include text/event-stream'));
      // Modern clients do not open this stream; a client without a session cannot.
      if (req.headers['mcp-session-id'] === undefined) return sendEmpty(res, 405, { allow: 'POST' });
      return after(sessionOf(context, null), (entry) => entry && attachStream(entry, context));
    },
    endSession(context) {
      if (context.req.headers['mcp-session-id'] === undefined) return sendEmpty(context.res, 405, { allow: 'POST' });
      return after(sessionOf(context, null), async (entry) => {
        if (!entry) return;
        sessions.end(entry);
        // Answered after the tombstone is written: the id must not work again, here or elsewhere.
        if (entry.sealed) await vault.end(entry.sealed);
        sendEmpty(context.res, 200);
      });
    },
  };
}
