import { linkedSet } from '../../lib/linked-set.js';
import type { LinkedNode } from '../../lib/linked-set.js';

/** Something that wants a sign of life sent now and then. */
export interface Beating {
  beat(): void;
}

/** Calls everyone who is waiting, every so often, with one timer for all. */
export interface Heartbeat {
  add(waiting: Beating): LinkedNode<Beating>;
  delete(place: LinkedNode<Beating>): void;
  stop(): void;
}

export function heartbeat(everyMs: number): Heartbeat {
  const waiting = linkedSet<Beating>();
  const timer = setInterval(() => {
    for (const each of waiting) each.beat();
  }, everyMs).unref();
  return {
    add: (each) => waiting.add(each),
    delete: (place) => waiting.remove(place),
    stop() {
      clearInterval(timer);
      waiting.clear();
    },
  };
}
