import type { LinkedNode } from './linked-set.js';
import { linkedSet } from './linked-set.js';

/** How waiting for a slot ended. */
export type AcquireResult = 'acquired' | 'full' | 'timeout' | 'aborted';

export interface SemaphoreOptions {
  readonly slots: number;
  /** Most waiting calls. */
  readonly queue: number;
  readonly queueTimeoutMs: number;
}

export interface Semaphore {
  /** Returns `true` at once if a slot is free; otherwise waits in the bounded queue of this caller. */
  acquire(caller: string, signal: AbortSignal): true | Promise<AcquireResult>;
  release(): void;
  active(): number;
  waiting(): number;
}

interface Waiter {
  readonly finish: (result: AcquireResult) => void;
}
type CallerQueue = ReturnType<typeof linkedSet<Waiter>>;

/**
 * Semaphore with `slots` permits and one queue per caller, served round robin: a caller with many waiting calls delays others by
 * one turn at most. At most `queue` calls wait, each for at most `queueTimeoutMs`. If the queue is full, a caller with fewer
 * waiting calls takes the place of the last call of the longest queue, so that no caller can occupy the whole queue. The options are
 * read each time, so they may change while the semaphore is in use.
 */
export function semaphore(options: SemaphoreOptions): Semaphore {
  // In order of service: a served caller moves to the end, a new one joins there.
  const queues = new Map<string, CallerQueue>();
  let active = 0;
  let waiting = 0;

  function longestQueue(): CallerQueue | undefined {
    let longest: CallerQueue | undefined;
    for (const each of queues.values()) if (longest === undefined || each.size > longest.size) longest = each;
    return longest;
  }

  /** Makes room for one more waiter of this caller; false if it already has the largest share. */
  function makeRoom(caller: string): boolean {
    if (waiting < options.queue) return true;
    const longest = longestQueue();
    if (longest === undefined || longest.size <= (queues.get(caller)?.size ?? 0) + 1) return false;
    longest.last?.item.finish('full');
    return true;
  }

  function queueOf(caller: string): CallerQueue {
    let own = queues.get(caller);
    if (own === undefined) queues.set(caller, (own = linkedSet<Waiter>()));
    return own;
  }

  function leave(caller: string, node: LinkedNode<Waiter>): void {
    const own = queues.get(caller);
    if (own === undefined || !node.isLinked) return;
    own.remove(node);
    waiting -= 1;
    if (own.size === 0) queues.delete(caller);
  }

  function serveNext(): void {
    const [next] = queues;
    if (next === undefined) return;
    const [caller, own] = next;
    queues.delete(caller);
    queues.set(caller, own);
    own.first?.item.finish('acquired');
  }

  return {
    active: () => active,
    waiting: () => waiting,
    acquire(caller, signal) {
      // New calls queue behind waiters even if a slot is free, so that no waiter starves.
      if (active < options.slots && waiting === 0) {
        active += 1;
        return true;
      }
      if (signal.aborted) return Promise.resolve('aborted');
      if (!makeRoom(caller)) return Promise.resolve('full');
      return new Promise((resolve) => {
        const finish = (result: AcquireResult): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          leave(caller, node);
          resolve(result);
        };
        const onAbort = (): void => finish('aborted');
        const timer = setTimeout(() => finish('timeout'), options.queueTimeoutMs);
        signal.addEventListener('abort', onAbort, { once: true });
        const node = queueOf(caller).add({ finish });
        waiting += 1;
      });
    },
    release() {
      active -= 1;
      // Slots pass directly to waiters, so no new caller can take one in between.
      // oxlint-disable-next-line no-unmodified-loop-condition -- serveNext removes a waiter
      while (active < options.slots && waiting > 0) {
        active += 1;
        serveNext();
      }
    },
  };
}
