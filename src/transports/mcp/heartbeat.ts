/** Calls everyone who is waiting, every so often, with one timer for all. */
export interface Heartbeat {
  add(beat: () => void): void;
  delete(beat: () => void): void;
  stop(): void;
}

export function heartbeat(everyMs: number): Heartbeat {
  const beats = new Set<() => void>();
  const timer = setInterval(() => {
    for (const beat of beats) beat();
  }, everyMs).unref();
  return {
    add: (beat) => void beats.add(beat),
    delete: (beat) => void beats.delete(beat),
    stop() {
      clearInterval(timer);
      beats.clear();
    },
  };
}
