/** How waiting for a slot ended. */
export type AcquireResult = 'acquired' | 'full' | 'timeout' | 'aborted';

export interface SemaphoreOptions {
  readonly slots: number;
  /** Most waiters. */
  readonly queue: number;
  readonly queueTimeoutMs: number;
}

export interface Semaphore {
  /** Returns `true` at once if a slot is free; otherwise waits in the bounded queue. */
  acquire(signal: AbortSignal): true | Promise<AcquireResult>;
  release(): void;
  active(): number;
  waiting(): number;
}

interface Waiter {
  readonly finish: (result: AcquireResult) => void;
}

/** FIFO semaphore with `slots` permits and a bounded queue. The options are read anew each time, so they may change while it is in use. */
export function semaphore(options: SemaphoreOptions): Semaphore {
  const waiters = new Set<Waiter>();
  let active = 0;

  return {
    active: () => active,
    waiting: () => waiters.size,
    acquire(signal) {
      // New callers queue behind waiters even if a slot is free, so that no waiter starves.
      if (active < options.slots && waiters.size === 0) {
        active += 1;
        return true;
      }
      if (signal.aborted) return Promise.resolve('aborted');
      if (waiters.size >= options.queue) return Promise.resolve('full');
      return new Promise((resolve) => {
        const finish = (result: AcquireResult): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          waiters.delete(waiter);
          resolve(result);
        };
        const waiter: Waiter = { finish };
        const onAbort = (): void => finish('aborted');
        const timer = setTimeout(() => finish('timeout'), options.queueTimeoutMs);
        signal.addEventListener('abort', onAbort, { once: true });
        waiters.add(waiter);
      });
    },
    release() {
      const first = waiters.values().next();
      // The slot passes directly to the first waiter, so no new caller can take it in between; lowered limits end slots instead.
      if (first.done || active > options.slots) active -= 1;
      else first.value.finish('acquired');
    },
  };
}
