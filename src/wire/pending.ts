import type { JsonObject } from '../core/json.js';
import { numbered } from '../lib/numbered.js';
import { codes, rpcError } from './codes.js';
import type { RpcError } from './codes.js';
import { encodeNotification, encodeRequest } from './message.js';
import type { RpcResponse } from './message.js';

export type RpcReply = RpcResponse['reply'];

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Where the serialised request goes, where not the usual way. */
  readonly send?: (text: string) => void;
}

/** Requests of ours that wait for an answer; ids are our own, so a peer cannot answer what was not asked. */
export interface PendingRequests {
  ask(method: string, params: JsonObject | undefined, options: AskOptions): Promise<RpcReply>;
  /** False where nobody waits for this answer. */
  settle(response: RpcResponse): boolean;
  /** Ends every wait with this error, for a peer that is gone. */
  fail(error: RpcError): void;
  readonly size: number;
}

/** Correlates requests and answers on one connection; a wait that ends early tells the peer. */
export function pendingRequests(send: (text: string) => void, maxPending = 1_024): PendingRequests {
  const waiting = numbered<(reply: RpcReply) => void>();

  return {
    get size() {
      return waiting.size;
    },
    ask(method, params, { timeoutMs, signal, send: route = send }) {
      if (signal?.aborted) return Promise.resolve({ error: rpcError(codes.internalError, 'Cancelled') });
      if (waiting.size >= maxPending)
        return Promise.resolve({ error: rpcError(codes.internalError, 'Too many requests are waiting') });
      return new Promise((resolve) => {
        const end = (reply: RpcReply): void => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', abandon);
          waiting.delete(id);
          resolve(reply);
        };
        const giveUp = (reason: string): void => {
          route(encodeNotification('notifications/cancelled', { requestId: id, reason }));
          end({ error: rpcError(codes.internalError, reason) });
        };
        const abandon = (): void => giveUp('Cancelled');
        const timer = setTimeout(() => giveUp('No answer in time'), timeoutMs);
        signal?.addEventListener('abort', abandon, { once: true });
        const id = waiting.add(end);
        route(encodeRequest(id, method, params));
      });
    },
    settle(response) {
      const end = waiting.get(response.id);
      end?.(response.reply);
      return end !== undefined;
    },
    fail(error) {
      for (const end of waiting.values()) end({ error });
    },
  };
}
