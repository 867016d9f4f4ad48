import type { ServerResponse } from 'node:http';
import { codes, rpcError } from '../../wire/codes.js';
import { encodeError } from '../../wire/message.js';
import type { Message } from '../../wire/message.js';
import { sseEvent, sseHeaders } from '../../wire/sse.js';
import type { Conversation } from './conversation.js';
import { replyText, sendEmpty, sendError, sendJson } from './http-reply.js';
import { maxUnreadBytes } from './post-stream.js';

/** Answers every message of a batch, as the revisions that have batches want it: one JSON array, or one stream of answers. */
export async function serveBatch(
  conversation: Conversation,
  messages: readonly Message[],
  res: ServerResponse,
  canStream: boolean,
): Promise<void> {
  if (!conversation.features?.batches)
    return sendError(res, 400, undefined, rpcError(codes.invalidRequest, 'This protocol version has no batches'));
  if (messages.some((message) => message.kind === 'request' && message.method === 'initialize')) {
    return sendError(res, 400, null, rpcError(codes.invalidRequest, 'initialize must not be part of a batch'));
  }
  let streaming = false;
  const send = (text: string): void => {
    if (!canStream || res.destroyed) return;
    if (!streaming) res.writeHead(200, sseHeaders);
    streaming = true;
    if (res.writableLength <= maxUnreadBytes) res.write(sseEvent(text));
  };
  const answers = await answerAll(conversation, messages, send);
  if (streaming) {
    for (const text of answers) res.write(sseEvent(text));
    res.end();
    return undefined;
  }
  return answers.length === 0 ? sendEmpty(res, 202) : sendJson(res, 200, `[${answers.join(',')}]`);
}

/** The texts of all answers a batch deserves, in the order of its messages. */
export async function answerAll(
  conversation: Conversation,
  messages: readonly Message[],
  send: (text: string) => void,
): Promise<readonly string[]> {
  const answers = await Promise.all(
    messages.map(async (message) => {
      if (message.kind === 'invalid') return encodeError(message.id ?? null, message.error);
      if (message.kind === 'notification') conversation.notified(message);
      if (message.kind === 'response') conversation.settle(message);
      if (message.kind !== 'request') return undefined;
      const reply = await conversation.answer(message, { send });
      return reply && replyText(message.id, reply);
    }),
  );
  return answers.filter((text) => text !== undefined);
}
