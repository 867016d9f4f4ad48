import { lru } from '../lib/lru.js';
import type { Store } from '../state/store.js';

/** Daily call budgets by key; a day starts with the first call. */
export interface Budgets {
  /** Spends one call; returns 0 if the budget allowed it, else the milliseconds until it does again. */
  spend(key: string, budget: number): number;
  /** Persists budgets from now on, so that a restart does not reset them. */
  keepIn(store: Store): void;
  /** Writes the exact counts before the store is closed. */
  settle(): void;
}

interface Window {
  readonly since: number;
  count: number;
  /** Count in the store; never less than the real count. */
  written: number;
}

const dayMs = 86_400_000;
const budgetSpace = 'budgets';
const mostAhead = 64;

/**
 * Budgets in memory, and in a store once there is one. A block of calls is written as spent before its first call (write-ahead):
 * a crash costs the caller the rest of a block but never refunds any, and most calls write nothing.
 */
export function budgets({
  maxKeys,
  now = Date.now,
}: {
  readonly maxKeys: () => number;
  readonly now?: () => number;
}): Budgets {
  const windows = lru<string, Window>(maxKeys);
  const kept = new Map<string, Window>();
  let store: Store | undefined;

  const write = (key: string, window: Window): void =>
    store?.put(budgetSpace, JSON.stringify(key), JSON.stringify([window.since, window.written]), {
      expiresAt: window.since + dayMs,
    });
  const read = (key: string): Window | undefined => {
    const text = store?.get(budgetSpace, JSON.stringify(key));
    if (text === undefined) return undefined;
    const [since, count] = JSON.parse(text) as readonly [number, number]; // only `write` writes there
    return { since, count, written: count };
  };

  return {
    spend(key, budget) {
      const time = now();
      let window = windows.get(key);
      if (window === undefined || time - window.since >= dayMs) {
        window = (window === undefined ? read(key) : undefined) ?? { since: time, count: 0, written: 0 };
        windows.set(key, window);
      }
      if (window.count >= budget) return window.since + dayMs - time;
      window.count += 1;
      if (store !== undefined && window.count > window.written) {
        window.written = window.count + Math.min(mostAhead, Math.floor(budget / 50));
        write(key, window);
        kept.set(key, window);
        if (kept.size > maxKeys())
          for (const oldest of [...kept.keys()].slice(0, kept.size - maxKeys())) kept.delete(oldest);
      }
      return 0;
    },
    keepIn(next) {
      store = next;
    },
    settle() {
      for (const [key, window] of kept) {
        if (window.written <= window.count) continue;
        window.written = window.count;
        write(key, window);
      }
      kept.clear();
    },
  };
}
