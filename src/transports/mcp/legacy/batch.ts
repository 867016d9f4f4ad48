import type { ServerResponse } from 'node:http';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { encodeError } from '../../../wire/message.js';
import type { Message } from '../../../wire/message.js';
import { sseEvent, sseHeaders } from '../../../wire/sse.js';
import type { LegacySession } from './legacy-session.js';
import { sendEmpty, sendJsonText } from '../../http/edge/respond.js';
import { replyText, sendRpcError } from '../http/reply.js';
import { maxUnreadBytes } from '../http/post-stream.js';

/** Answers a batch with one JSON array, or with one event stream if notifications precede the responses. */
export async function serveBatch(
  session: LegacySession,
  messages: readonly Message[],
  res: ServerResponse,
  canStream: boolean,
): Promise<void> {
  if (!session.features?.batches)
    return sendRpcError(res, 400, undefined, rpcError(rpcCodes.invalidRequest, 'This protocol version has no batches'));
  // The specification forbids it: the version of the other messages would be undefined.
  if (messages.some((message) => message.kind === 'request' && message.method === 'initialize')) {
    return sendRpcError(res, 400, null, rpcError(rpcCodes.invalidRequest, 'initialize must not be part of a batch'));
  }
  let streaming = false;
  const send = (text: string): void => {
    if (!canStream || res.destroyed) return;
    if (!streaming) res.writeHead(200, sseHeaders);
    streaming = true;
    // A client that does not read loses notifications, never responses.
    if (res.writableLength <= maxUnreadBytes) res.write(sseEvent(text));
  };
  const answers = await answerBatch(session, messages, send);
  if (streaming) {
    for (const text of answers) res.write(sseEvent(text));
    res.end();
    return undefined;
  }
  // A batch of notifications alone is acknowledged without a body.
  return answers.length === 0 ? sendEmpty(res, 202) : sendJsonText(res, 200, `[${answers.join(',')}]`);
}

/** Serialised responses to all requests of a batch, in order. */
export async function answerBatch(
  session: LegacySession,
  messages: readonly Message[],
  send: (text: string) => void,
): Promise<readonly string[]> {
  // In parallel, as JSON-RPC allows; the responses keep the order of the requests.
  const answers = await Promise.all(
    messages.map(async (message) => {
      if (message.kind === 'invalid') return encodeError(message.id ?? null, message.error);
      if (message.kind === 'notification') session.handleNotification(message);
      if (message.kind === 'response') session.handleResponse(message);
      if (message.kind !== 'request') return undefined;
      const reply = await session.handleRequest(message, { send });
      return reply && replyText(message.id, reply);
    }),
  );
  return answers.filter((text) => text !== undefined);
}
