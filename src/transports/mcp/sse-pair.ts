import { randomUUID } from 'node:crypto';
import { isSameStanding } from '../../core/gateway.js';
import { codes, rpcError } from '../../wire/codes.js';
import { decode, encodeError } from '../../wire/message.js';
import type { MessageLimits } from '../../wire/message.js';
import { sseEvent, sseHeaders, sseKeepAlive } from '../../wire/sse.js';
import { answerAll } from './batch.js';
import type { Changes } from './changes.js';
import { conversation } from './conversation.js';
import type { Conversation } from './conversation.js';
import type { Exchange } from './exchange.js';
import type { Heartbeat } from './heartbeat.js';
import { sendEmpty, sendError } from './http-reply.js';
import type { Protocol } from './methods.js';
import { maxUnreadBytes } from './post-stream.js';

/** The HTTP transport of 2024-11-05: a stream that names where to post, and everything else comes over the stream. */
export interface SsePair {
  openStream(exchange: Exchange): void;
  post(exchange: Exchange): void;
  readonly open: number;
  close(): void;
}

export interface SsePairParts {
  readonly protocol: Protocol;
  readonly changes: Changes;
  readonly heartbeat: Heartbeat;
  readonly limits: MessageLimits;
  readonly max: number;
  readonly messagesPath: string;
  readonly profileOf: (exchange: Exchange) => string | undefined;
}

interface Open {
  readonly conversation: Conversation;
  send(text: string): void;
  end(): void;
}

export function ssePair({ protocol, changes, heartbeat, limits, max, messagesPath, profileOf }: SsePairParts): SsePair {
  const table = new Map<string, Open>();

  return {
    get open() {
      return table.size;
    },
    openStream(exchange) {
      const { res, principal } = exchange;
      if (table.size >= max)
        return sendError(res, 503, null, rpcError(codes.badRequest, 'Too many sessions are open; try again later'), {
          'retry-after': 60,
        });
      const id = randomUUID();
      const profile = profileOf(exchange);
      // A reader too slow even for its answers is let go: nothing else would bound what waits for it.
      const send = (text: string): void => {
        if (res.writableLength > maxUnreadBytes) res.destroy();
        else res.write(sseEvent(text));
      };
      const view = { principal, ...(profile !== undefined && { profile }) };
      const opened: Open = {
        send,
        end: () => res.end(),
        conversation: conversation(protocol, changes, { view, via: 'http', session: id, push: send }),
      };
      const alive = {
        beat(): void {
          if (!res.writableNeedDrain) res.write(sseKeepAlive);
        },
      };
      table.set(id, opened);
      const place = heartbeat.add(alive);
      res.once('close', () => {
        table.delete(id);
        heartbeat.delete(place);
        opened.conversation.close();
      });
      res.writeHead(200, sseHeaders);
      res.write(`event: endpoint\ndata: ${messagesPath}?sessionId=${id}\n\n`);
      return undefined;
    },
    post({ res, principal, query, body }) {
      const found = table.get(query.get('sessionId') ?? '');
      // All post to one address, so only who they are can have changed.
      const before = found?.conversation.view;
      if (!found || !before || !isSameStanding(before, { ...before, principal }))
        return sendError(res, 404, null, rpcError(codes.sessionNotFound, 'Session not found'));
      const decoded = decode(body, limits);
      if (decoded.kind === 'invalid') return sendError(res, 400, decoded.id ?? null, decoded.error);
      sendEmpty(res, 202);
      const messages = decoded.kind === 'batch' ? decoded.messages : [decoded];
      if (decoded.kind === 'batch' && !found.conversation.features?.batches) {
        return found.send(encodeError(null, rpcError(codes.invalidRequest, 'This protocol version has no batches')));
      }
      void answerAll(found.conversation, messages, found.send).then((answers) => {
        if (answers.length > 0) found.send(decoded.kind === 'batch' ? `[${answers.join(',')}]` : answers.join(''));
        return undefined;
      });
      return undefined;
    },
    close() {
      for (const { end, conversation: talk } of table.values()) {
        talk.close();
        end();
      }
    },
  };
}
