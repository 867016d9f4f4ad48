/** Calls that wait for the decision of a ticket. */
interface WaitingCalls {
  wake(id: string): void;
  /** Resolves when the ticket is decided, the time is over or the call is aborted. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void>;
}

/** Waits for decisions of this process, and with an interval also looks for those of others. */
export function waitingCalls(isDecided: (id: string) => Promise<boolean>, pollMs?: number): WaitingCalls {
  const waiting = new Map<string, Set<() => void>>();

  return {
    wake(id) {
      for (const wake of waiting.get(id) ?? []) wake();
    },
    wait: (id, ms, signal) =>
      new Promise((resolve) => {
        const wakes = waiting.get(id) ?? new Set();
        waiting.set(id, wakes);
        const wake = (): void => {
          clearTimeout(timer);
          clearInterval(poll);
          signal.removeEventListener('abort', wake);
          wakes.delete(wake);
          // The last waiter of a ticket removes its entry, or the map would keep every ticket ever waited for.
          if (wakes.size === 0) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        const look = (): void =>
          void isDecided(id).then(
            // A failing lookup is not a decision; the next interval tries again.
            (decided) => decided && wake(),
            () => {},
          );
        // Without a channel between replicas, decisions of another one are found by polling.
        const poll = pollMs === undefined ? undefined : setInterval(look, pollMs);
        wakes.add(wake);
        signal.addEventListener('abort', wake, { once: true });
        // The signal may have fired before the listener was added.
        if (signal.aborted) wake();
      }),
  };
}
