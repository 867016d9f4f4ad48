import type { ServerResponse } from 'node:http';
import type { RpcError } from '../../wire/codes.js';
import { encodeId } from '../../wire/id.js';
import type { Id } from '../../wire/id.js';
import { encodeError, encodeResult } from '../../wire/message.js';
import type { Reply } from './caller.js';

type Extra = Readonly<Record<string, string | number>>;

/** Answers with one JSON text in one write. */
export function sendJson(res: ServerResponse, status: number, text: string, extra?: Extra): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...extra });
  res.end(text);
}

/** Answers with a result whose bytes are shared by everyone who asks for it. */
function sendBytes(res: ServerResponse, id: Id, bytes: Buffer, extra?: Extra): void {
  const head = `{"jsonrpc":"2.0","id":${encodeId(id)},"result":`;
  res.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(head) + bytes.length + 1,
    ...extra,
  });
  res.cork();
  res.write(head);
  res.write(bytes);
  res.end('}');
}

/** A reply as the text of a response. */
export const replyText = (id: Id, reply: Reply): string =>
  'error' in reply
    ? encodeError(id, reply.error)
    : encodeResult(id, typeof reply.result === 'string' ? reply.result : reply.result.toString('utf8'));

/** Answers a request with its reply. */
export function sendReply(res: ServerResponse, id: Id, reply: Reply, status: number, extra?: Extra): void {
  if (res.headersSent || res.destroyed) return;
  if ('result' in reply && typeof reply.result !== 'string') sendBytes(res, id, reply.result, extra);
  else sendJson(res, status, replyText(id, reply), extra);
}

export const sendError = (
  res: ServerResponse,
  status: number,
  id: Id | null | undefined,
  error: RpcError,
  extra?: Extra,
): void => sendJson(res, status, encodeError(id, error), extra);

/** Answers that something was taken and there is nothing to say. */
export function sendEmpty(res: ServerResponse, status: number, extra?: Extra): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, { 'content-length': 0, ...extra });
  res.end();
}
