import { lightController, type Controller } from '../../lib/light-signal.js';
import { codes, rpcError, type RpcError } from '../../wire/codes.js';
import type { Id } from '../../wire/id.js';

/** The requests of one client that are being answered, by the ids it gave them. */
export interface InFlight {
  readonly size: number;
  /** Whether one more may begin under this id; else what its client is told. */
  refusal(id: Id): RpcError | undefined;
  begin(id: Id): AbortSignal;
  end(id: Id): void;
  /** What nobody answers any more is not cancelled. */
  cancel(id: unknown): void;
  cancelAll(): void;
}

/** At most `most` of them at once. */
export function inFlightRequests(most: number): InFlight {
  // Tables that a Map has outgrown stay alive for long, with all they held: a slot that was emptied is all they find there.
  const slots = new Map<Id, { controller: Controller | undefined }>();
  return {
    get size() {
      return slots.size;
    },
    refusal(id) {
      // Two calls under one id could not be told apart by the one who cancels.
      if (slots.has(id)) return rpcError(codes.invalidRequest, 'A request with this id is being answered');
      if (slots.size >= most) return rpcError(codes.internalError, 'Too many requests are being answered');
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
