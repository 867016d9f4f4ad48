import { lightController, type Controller } from '../../lib/light-signal.js';
import { rpcCodes, rpcError, type RpcError } from '../../wire/codes.js';
import type { Id } from '../../wire/id.js';

/** Requests of one client in progress, by request id. */
export interface InFlightRequests {
  readonly size: number;
  /** Returns the error if no request may start under this id. */
  check(id: Id): RpcError | undefined;
  begin(id: Id): AbortSignal;
  end(id: Id): void;
  /** Ignores ids that are not in progress. */
  cancel(id: unknown): void;
  cancelAll(): void;
}

/** Tracks up to `max` concurrent requests. */
export function inFlightRequests(max: number): InFlightRequests {
  // A Map that grows leaves its old table to the garbage collector, which may retain the entries for long: clear the slot first.
  const slots = new Map<Id, { controller: Controller | undefined }>();
  return {
    get size() {
      return slots.size;
    },
    check(id) {
      // Duplicate ids would make notifications/cancelled ambiguous.
      if (slots.has(id)) return rpcError(rpcCodes.invalidRequest, 'A request with this id is already in progress');
      if (slots.size >= max) return rpcError(rpcCodes.internalError, 'Too many concurrent requests');
      return undefined;
    },
    begin(id) {
      const controller = lightController();
      slots.set(id, { controller });
      return controller.signal;
    },
    end(id) {
      const slot = slots.get(id);
      if (slot === undefined) return;
      slot.controller = undefined;
      slots.delete(id);
    },
    cancel(id) {
      if (typeof id === 'string' || typeof id === 'number') slots.get(id)?.controller?.abort();
    },
    cancelAll() {
      for (const { controller } of slots.values()) controller?.abort();
    },
  };
}
