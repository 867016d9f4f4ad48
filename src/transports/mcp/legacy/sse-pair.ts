import { randomUUID } from 'node:crypto';
import { hasSameRights } from '../../../core/gateway.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { decode, encodeError } from '../../../wire/message.js';
import type { MessageLimits } from '../../../wire/message.js';
import { sseEvent, sseHeaders, sseKeepAlive } from '../../../wire/sse.js';
import type { OnUnreadable } from '../../unreadable.js';
import { answerBatch } from './batch.js';
import type { ChangeBroadcaster } from '../change-broadcaster.js';
import { legacySession } from './legacy-session.js';
import type { LegacySession } from './legacy-session.js';
import type { HttpContext } from '../../http/edge/route.js';
import type { Heartbeat } from '../http/heartbeat.js';
import { viewOf } from '../http/view.js';
import { sendEmpty } from '../../http/edge/respond.js';
import { sendRpcError } from '../http/reply.js';
import type { McpDispatcher } from '../dispatcher.js';
import { maxUnreadBytes } from '../http/post-stream.js';

/** HTTP+SSE transport of 2024-11-05: a GET stream that announces a POST URL and carries all responses. */
export interface SsePair {
  openStream(context: HttpContext): void;
  post(context: HttpContext): void;
  readonly open: number;
  close(): void;
}

/** What the pairs of one endpoint share. */
interface SsePairOptions {
  readonly dispatcher: McpDispatcher;
  readonly broadcaster: ChangeBroadcaster;
  readonly heartbeat: Heartbeat;
  readonly limits: MessageLimits;
  readonly max: number;
  readonly messagesPath: string;
  readonly onUnreadable?: OnUnreadable | undefined;
}

/** An open GET stream and its session. */
interface OpenStream {
  readonly session: LegacySession;
  send(text: string): void;
  end(): void;
}

/** Builds the pair; the session id in the POST URL is random and bound to the principal. */
export function ssePair({
  dispatcher,
  broadcaster,
  heartbeat,
  limits,
  max,
  messagesPath,
  onUnreadable,
}: SsePairOptions): SsePair {
  const table = new Map<string, OpenStream>();

  return {
    get open() {
      return table.size;
    },
    openStream(context) {
      const { res } = context;
      // Bounded: a stream is held open for as long as the client likes.
      if (table.size >= max)
        return sendRpcError(
          res,
          503,
          null,
          rpcError(rpcCodes.badRequest, 'Too many sessions are open; try again later'),
          {
            'retry-after': 60,
          },
        );
      const id = randomUUID();
      // Backpressure: disconnect a client that does not read its responses; nothing else bounds the send buffer.
      const send = (text: string): void => {
        if (res.writableLength > maxUnreadBytes) res.destroy();
        else res.write(sseEvent(text));
      };
      const view = viewOf(context);
      const stream: OpenStream = {
        send,
        end: () => res.end(),
        session: legacySession(dispatcher, broadcaster, { view, via: 'http', sessionId: id, push: send }),
      };
      const keepAlive = {
        onHeartbeat(): void {
          if (!res.writableNeedDrain) res.write(sseKeepAlive);
        },
      };
      table.set(id, stream);
      const node = heartbeat.add(keepAlive);
      res.once('close', () => {
        table.delete(id);
        heartbeat.delete(node);
        stream.session.close();
      });
      res.writeHead(200, sseHeaders);
      // The first event names the URL to post to, as 2024-11-05 defines it.
      res.write(`event: endpoint\ndata: ${messagesPath}?sessionId=${id}\n\n`);
      return undefined;
    },
    post({ res, principal, peer, query, body }) {
      const found = table.get(query.get('sessionId') ?? '');
      // All clients post to one URL, so only the rights of the principal can differ from those that opened the stream.
      const opener = found?.session.view;
      // Wrong rights get the same answer as an unknown id (session hijacking).
      if (!found || !opener || !hasSameRights(opener, { ...opener, principal }))
        return sendRpcError(res, 404, null, rpcError(rpcCodes.sessionNotFound, 'Session not found'));
      const decoded = decode(body, limits);
      if (decoded.kind === 'invalid') {
        onUnreadable?.({ principal, peer, via: 'http', message: decoded.error.message });
        return sendRpcError(res, 400, decoded.id ?? null, decoded.error);
      }
      // The response travels on the stream; the POST itself only acknowledges.
      sendEmpty(res, 202);
      const messages = decoded.kind === 'batch' ? decoded.messages : [decoded];
      if (decoded.kind === 'batch' && !found.session.features?.batches) {
        return found.send(encodeError(null, rpcError(rpcCodes.invalidRequest, 'This protocol version has no batches')));
      }
      void answerBatch(found.session, messages, found.send).then((answers) => {
        if (answers.length > 0) found.send(decoded.kind === 'batch' ? `[${answers.join(',')}]` : answers.join(''));
        return undefined;
      });
      return undefined;
    },
    close() {
      for (const { end, session } of table.values()) {
        // Calls are cancelled before the stream ends, so that their sources stop.
        session.close();
        end();
      }
    },
  };
}
