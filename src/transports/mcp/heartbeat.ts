import { crowd } from '../../lib/crowd.js';
import type { Place } from '../../lib/crowd.js';

/** Something that wants a sign of life sent now and then. */
export interface Beating {
  beat(): void;
}

/** Calls everyone who is waiting, every so often, with one timer for all. */
export interface Heartbeat {
  add(waiting: Beating): Place<Beating>;
  delete(place: Place<Beating>): void;
  stop(): void;
}

export function heartbeat(everyMs: number): Heartbeat {
  const waiting = crowd<Beating>();
  const timer = setInterval(() => {
    for (const each of waiting) each.beat();
  }, everyMs).unref();
  return {
    add: (each) => waiting.enter(each),
    delete: (place) => waiting.leave(place),
    stop() {
      clearInterval(timer);
      waiting.clear();
    },
  };
}
