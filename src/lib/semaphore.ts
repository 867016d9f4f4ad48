/** How waiting for a slot ended. */
export type Admission = 'admitted' | 'full' | 'waited_too_long' | 'aborted';

export interface Semaphore {
  /** `true` at once where a slot is free; otherwise waits in the bounded queue. */
  enter(signal: AbortSignal): true | Promise<Admission>;
  leave(): void;
  active(): number;
  waiting(): number;
}

interface Waiter {
  readonly admit: (how: Admission) => void;
}

/** `slots` at a time, at most `queue` waiting, none of them longer than `queueTimeoutMs`. First come, first served. */
export function semaphore(options: {
  readonly slots: number;
  readonly queue: number;
  readonly queueTimeoutMs: number;
}): Semaphore {
  const waiters = new Set<Waiter>();
  let active = 0;

  return {
    active: () => active,
    waiting: () => waiters.size,
    enter(signal) {
      if (active < options.slots && waiters.size === 0) {
        active += 1;
        return true;
      }
      if (signal.aborted) return Promise.resolve('aborted');
      if (waiters.size >= options.queue) return Promise.resolve('full');
      return new Promise((resolve) => {
        const finish = (how: Admission): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          waiters.delete(waiter);
          resolve(how);
        };
        const waiter: Waiter = { admit: finish };
        const onAbort = (): void => finish('aborted');
        const timer = setTimeout(() => finish('waited_too_long'), options.queueTimeoutMs);
        signal.addEventListener('abort', onAbort, { once: true });
        waiters.add(waiter);
      });
    },
    leave() {
      const first = waiters.values().next();
      // The slot passes straight to the first in line, so nobody can slip in between.
      if (first.done) active -= 1;
      else first.value.admit('admitted');
    },
  };
}
