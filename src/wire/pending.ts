import type { JsonObject } from '../core/json.js';
import { slotTable } from '../lib/slot-table.js';
import type { SlotTable } from '../lib/slot-table.js';
import type { Id } from './id.js';
import { encodeNotification, encodeRequest } from './message.js';
import type { RpcResponse } from './message.js';
import { failedReply } from './reply.js';
import type { Reply, TransportFailure } from './reply.js';

/** Timeout and cancellation of one request. */
export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Overrides the default `send` for this request. */
  readonly send?: (text: string) => void;
}

/** Outgoing requests awaiting a response; ids are generated here, so a peer cannot answer a request that was never sent. */
export interface PendingRequests {
  ask(method: string, params: JsonObject | undefined, options: AskOptions): Promise<Reply>;
  /** Returns false if no request is pending under this id. */
  settle(response: { readonly id: RpcResponse['id']; readonly reply: Reply }): boolean;
  /** Fails every pending request, for example after a disconnect. */
  fail(failure: TransportFailure): void;
  readonly size: number;
}

/** A pending request. A class because one is allocated per call: prototype methods are shared, closures are not. */
class PendingRequest {
  readonly #table: SlotTable<PendingRequest>;
  readonly #resolve: (reply: Reply) => void;
  readonly #route: (text: string) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #prefix: string;
  readonly id: number;

  constructor(
    table: SlotTable<PendingRequest>,
    resolve: (reply: Reply) => void,
    route: (text: string) => void,
    { timeoutMs, signal }: AskOptions,
    prefix: string,
  ) {
    this.#table = table;
    this.#prefix = prefix;
    this.#resolve = resolve;
    this.#route = route;
    this.#signal = signal;
    this.id = table.add(this);
    this.#timer = setTimeout(onTimeout, timeoutMs, this);
    signal?.addEventListener('abort', this);
  }

  /** Id that the peer gets to see. */
  get wireId(): string | number {
    return this.#prefix === '' ? this.id : `${this.#prefix}${this.id}`;
  }

  end(reply: Reply): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this);
    this.#table.delete(this.id);
    this.#resolve(reply);
  }

  cancel(kind: 'timeout' | 'cancelled', reason: string): void {
    this.#route(encodeNotification('notifications/cancelled', { requestId: this.wireId, reason }));
    this.end(failedReply(kind, reason));
  }

  /** EventListener interface: called when the signal aborts. */
  handleEvent(): void {
    this.cancel('cancelled', 'Cancelled');
  }
}

const onTimeout = (request: PendingRequest): void => request.cancel('timeout', 'Request timed out');

/**
 * Correlates requests and responses on one connection; a timeout or abort sends `notifications/cancelled` to the peer. With a prefix,
 * ids are texts that name their issuer.
 */
export function pendingRequests(send: (text: string) => void, maxPending = 1_024, prefix = ''): PendingRequests {
  const table = slotTable<PendingRequest>();

  return {
    get size() {
      return table.size;
    },
    ask(method, params, options) {
      const { signal, send: route = send } = options;
      if (signal?.aborted) return Promise.resolve(failedReply('cancelled', 'Cancelled'));
      if (table.size >= maxPending)
        return Promise.resolve(failedReply('busy', 'Too many pending requests', { unprocessed: true }));
      return new Promise((resolve) => {
        const { wireId } = new PendingRequest(table, resolve, route, options, prefix);
        route(encodeRequest(wireId, method, params));
      });
    },
    settle(response) {
      const waiting = table.get(slotOf(response.id, prefix));
      waiting?.end(response.reply);
      return waiting !== undefined;
    },
    fail(failure) {
      for (const waiting of table.values()) waiting.end({ failure });
    },
  };
}

/** The number inside an id of ours; an id of another spelling has none. */
function slotOf(id: Id, prefix: string): Id {
  if (prefix === '') return id;
  const digits = typeof id === 'string' && id.startsWith(prefix) ? id.slice(prefix.length) : '';
  return /^[1-9]\d{0,14}$|^0$/.test(digits) ? Number(digits) : -1;
}
