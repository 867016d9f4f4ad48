/** Something that wants a sign of life sent now and then. */
export interface Beating {
  beat(): void;
}

/** Calls everyone who is waiting, every so often, with one timer for all. */
export interface Heartbeat {
  add(waiting: Beating): void;
  delete(waiting: Beating): void;
  stop(): void;
}

export function heartbeat(everyMs: number): Heartbeat {
  const waiting = new Set<Beating>();
  const timer = setInterval(() => {
    for (const each of waiting) each.beat();
  }, everyMs).unref();
  return {
    add: (each) => void waiting.add(each),
    delete: (each) => void waiting.delete(each),
    stop() {
      clearInterval(timer);
      waiting.clear();
    },
  };
}
