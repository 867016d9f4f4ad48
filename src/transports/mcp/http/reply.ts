import type { ServerResponse } from 'node:http';
import type { RpcError } from '../../../wire/codes.js';
import { encodeId } from '../../../wire/id.js';
import type { Id } from '../../../wire/id.js';
import { encodeError, encodeResult } from '../../../wire/message.js';
import { sendJsonText } from '../../http/edge/respond.js';
import type { ResponseHeaders } from '../../http/edge/respond.js';
import type { Reply } from '../request-context.js';

/** Sends a result from a cached buffer without copying it. */
function sendSharedResult(res: ServerResponse, id: Id, bytes: Buffer, extra?: ResponseHeaders): void {
  const head = `{"jsonrpc":"2.0","id":${encodeId(id)},"result":`;
  res.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(head) + bytes.length + 1,
    ...extra,
  });
  // Corked, so that head and body leave in one packet.
  res.cork();
  res.write(head);
  res.write(bytes);
  res.end('}');
}

/** Serialises a reply as a JSON-RPC response. */
export const replyText = (id: Id, reply: Reply): string =>
  'error' in reply
    ? encodeError(id, reply.error)
    : encodeResult(id, typeof reply.result === 'string' ? reply.result : reply.result.toString('utf8'));

/** Sends the reply to a request. */
export function sendReply(res: ServerResponse, id: Id, reply: Reply, status: number, extra?: ResponseHeaders): void {
  // A client that disconnected, or a response that another path has sent.
  if (res.headersSent || res.destroyed) return;
  if ('result' in reply && typeof reply.result !== 'string') sendSharedResult(res, id, reply.result, extra);
  else sendJsonText(res, status, replyText(id, reply), extra);
}

/** Sends a JSON-RPC error with an HTTP status. */
export const sendRpcError = (
  res: ServerResponse,
  status: number,
  id: Id | null | undefined,
  error: RpcError,
  extra?: ResponseHeaders,
): void => sendJsonText(res, status, encodeError(id, error), extra);
