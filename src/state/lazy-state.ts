import { memoryStore } from './memory-store.js';
import { sqliteStore } from './sqlite-store.js';
import type { LocalStore } from './store.js';

interface LazyState {
  open(): Promise<LocalStore>;
  /** Why the state is in memory only; undefined if it is not. */
  problem(): string | undefined;
  close(): Promise<void>;
}

const sweepMs = 60_000;

/**
 * Opens the state at the first use; a second gateway on the same folder falls back to memory and reports it. Expired entries are
 * removed at the start and then on a timer: otherwise short-lived tasks would fill the disk.
 */
export function lazyState(
  folder: string,
  onProblem: (problem: string) => void,
  { sweepEveryMs = sweepMs, now = Date.now }: { readonly sweepEveryMs?: number; readonly now?: () => number } = {},
): LazyState {
  let opened: Promise<LocalStore> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let memoryOnly: string | undefined;

  const openStore = async (): Promise<LocalStore> => {
    const result = await sqliteStore({ home: folder, now });
    if (!result.ok) {
      memoryOnly = result.problem;
      // Reported and not thrown: calls work without stored state, but counts start anew.
      onProblem(result.problem);
      return memoryStore({ now });
    }
    // The damaged file is kept for inspection.
    if (result.setAside !== undefined)
      onProblem(`The state database was damaged and was renamed to ${result.setAside}`);
    return result.store;
  };
  const start = async (): Promise<LocalStore> => {
    const store = await openStore();
    const sweep = (): void => {
      try {
        store.sweep(now());
      } catch (error) {
        onProblem(`Expired state could not be removed: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    sweep();
    timer = setInterval(sweep, sweepEveryMs).unref();
    return store;
  };

  return {
    // One promise, so that concurrent first uses open the store once.
    open: () => (opened ??= start()),
    problem: () => memoryOnly,
    async close() {
      const store = await opened;
      clearInterval(timer);
      store?.close();
    },
  };
}
