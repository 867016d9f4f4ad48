import { rpcCodes, rpcError } from '../../../wire/codes.js';
import { encodeError, encodeResult } from '../../../wire/message.js';
import type { RpcRequest } from '../../../wire/message.js';
import type { RpcReply } from '../../../wire/reply.js';
import type { ChannelEvents } from './channel.js';

/** Requests of a server that are answered at a time: it could send them without end, and each one holds memory. */
export const maxServerRequests = 64;

interface ServerRequestOptions {
  readonly request: ChannelEvents['request'];
  /** Sends the encoded response. */
  readonly send: (text: string) => unknown;
  /** Whether a request beyond the limit is answered with an error; where each answer costs a connection it is dropped. */
  readonly rejectExcess: boolean;
}

/** Answers the requests of a server, a bounded number at a time. */
export function serverRequests({ request, send, rejectExcess }: ServerRequestOptions) {
  let open = 0;
  return async function answer({ id, method, params }: RpcRequest, owner: object | undefined): Promise<void> {
    if (open >= maxServerRequests) {
      if (rejectExcess) await send(encodeError(id, rpcError(rpcCodes.internalError, 'Too many requests at once')));
      return;
    }
    open += 1;
    try {
      const reply: RpcReply = await request(method, params, owner);
      await send('result' in reply ? encodeResult(id, JSON.stringify(reply.result)) : encodeError(id, reply.error));
    } finally {
      open -= 1;
    }
  };
}
