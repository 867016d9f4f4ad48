import type { Socket } from 'node:net';
import type { Pipe, ProcessEntry } from './broker/messages.js';
import type { Refused } from './process-spec.js';

const maxId = 0xffff_ffff;

/** The programs that are running or being killed, by id; `onHold` reports the first and the last one. */
export function processEntries(onHold: (hasEntries: boolean) => void) {
  const entries = new Map<number, ProcessEntry>();
  let nextId = 1;
  let onEmpty: (() => void) | undefined;

  const drop = (id: number): void => {
    entries.delete(id);
    // The event loop may end once nothing runs.
    if (entries.size > 0) return;
    onHold(false);
    onEmpty?.();
  };

  return {
    size: (): number => entries.size,
    ids: (): IterableIterator<number> => entries.keys(),
    /** Adds an entry under the next id; ids wrap around, because the frames have 32 bits for them. */
    add(make: (id: number) => ProcessEntry): number {
      const id = nextId;
      nextId = nextId === maxId ? 1 : nextId + 1;
      // Before the entry is made: a start must keep the process alive until its answer.
      if (entries.size === 0) onHold(true);
      entries.set(id, make(id));
      return id;
    },
    drop,
    /** Passes a frame to its entry, and drops the entry after its last one. */
    take(kind: number, id: number, payload: Buffer): void {
      if (entries.get(id)?.take(kind, payload) === true) drop(id);
    },
    adopt: (id: number, pipe: Pipe, socket: Socket): boolean => entries.get(id)?.adopt?.(pipe, socket) === true,
    /** Ends all entries with this refusal. */
    lose(refusal: Refused): void {
      for (const [id, entry] of entries) {
        entry.lost(refusal);
        drop(id);
      }
    },
    isOverdue(now: number): boolean {
      for (const { dueAt } of entries.values()) if (dueAt < now) return true;
      return false;
    },
    untilEmpty: (): Promise<void> =>
      entries.size === 0 ? Promise.resolve() : new Promise((resolve) => (onEmpty = resolve)),
  };
}
