import { lru } from '../../lib/lru.js';
import type { LocalStore } from '../../state/store.js';

/** Daily call budgets by key; a day starts with the first call. */
export interface Budgets {
  /** Spends one call; returns 0 if the budget allowed it, else the milliseconds until it does again. */
  spend(key: string, budget: number): number;
  /** Persists budgets from now on, so that a restart does not reset them. */
  keepIn(store: LocalStore): void;
  /** Writes the exact counts before the store is closed. */
  settle(): void;
}

interface BudgetWindow {
  readonly since: number;
  count: number;
  /** Count in the store; never less than the real count. */
  written: number;
}

const dayMs = 86_400_000;
const budgetSpace = 'budgets';
const maxPrepaidCalls = 64;

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
  const windows = lru<string, BudgetWindow>(maxKeys);
  const persisted = new Map<string, BudgetWindow>();
  let store: LocalStore | undefined;

  const saveWindow = (key: string, window: BudgetWindow): void =>
    store?.put(budgetSpace, JSON.stringify(key), JSON.stringify([window.since, window.written]), {
      expiresAt: window.since + dayMs,
    });
  const loadWindow = (key: string): BudgetWindow | undefined => {
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
        window = (window === undefined ? loadWindow(key) : undefined) ?? { since: time, count: 0, written: 0 };
        windows.set(key, window);
      }
      if (window.count >= budget) return window.since + dayMs - time;
      window.count += 1;
      if (store !== undefined && window.count > window.written) {
        window.written = window.count + Math.min(maxPrepaidCalls, Math.floor(budget / 50));
        saveWindow(key, window);
        persisted.set(key, window);
        if (persisted.size > maxKeys())
          for (const oldest of [...persisted.keys()].slice(0, persisted.size - maxKeys())) persisted.delete(oldest);
      }
      return 0;
    },
    keepIn(next) {
      store = next;
    },
    settle() {
      for (const [key, window] of persisted) {
        if (window.written <= window.count) continue;
        window.written = window.count;
        saveWindow(key, window);
      }
      persisted.clear();
    },
  };
}
