import type { JsonObject } from '../core/json.js';
import { slotTable } from '../lib/slot-table.js';
import type { SlotTable } from '../lib/slot-table.js';
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

/** One request that waits. A class, since one is made for every call: its methods are made once, closures would be each time. */
class Waiting {
  readonly #table: SlotTable<Waiting>;
  readonly #resolve: (reply: RpcReply) => void;
  readonly #route: (text: string) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly id: number;

  constructor(
    table: SlotTable<Waiting>,
    resolve: (reply: RpcReply) => void,
    route: (text: string) => void,
    { timeoutMs, signal }: AskOptions,
  ) {
    this.#table = table;
    this.#resolve = resolve;
    this.#route = route;
    this.#signal = signal;
    this.id = table.add(this);
    this.#timer = setTimeout(expired, timeoutMs, this);
    signal?.addEventListener('abort', this);
  }

  end(reply: RpcReply): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this);
    this.#table.delete(this.id);
    this.#resolve(reply);
  }

  giveUp(reason: string): void {
    this.#route(encodeNotification('notifications/cancelled', { requestId: this.id, reason }));
    this.end({ error: rpcError(codes.internalError, reason) });
  }

  /** What an aborted signal calls. */
  handleEvent(): void {
    this.giveUp('Cancelled');
  }
}

const expired = (waiting: Waiting): void => waiting.giveUp('No answer in time');

/** Correlates requests and answers on one connection; a wait that ends early tells the peer. */
export function pendingRequests(send: (text: string) => void, maxPending = 1_024): PendingRequests {
  const table = slotTable<Waiting>();

  return {
    get size() {
      return table.size;
    },
    ask(method, params, options) {
      const { signal, send: route = send } = options;
      if (signal?.aborted) return Promise.resolve({ error: rpcError(codes.internalError, 'Cancelled') });
      if (table.size >= maxPending)
        return Promise.resolve({ error: rpcError(codes.internalError, 'Too many requests are waiting') });
      return new Promise((resolve) => {
        const { id } = new Waiting(table, resolve, route, options);
        route(encodeRequest(id, method, params));
      });
    },
    settle(response) {
      const waiting = table.get(response.id);
      waiting?.end(response.reply);
      return waiting !== undefined;
    },
    fail(error) {
      for (const waiting of table.values()) waiting.end({ error });
    },
  };
}
