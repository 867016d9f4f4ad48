import { memoryStore } from './memory-store.js';
import { sqliteStore } from './sqlite-store.js';
import type { Store } from './store.js';

/** Opens the state at the first use; a second gateway on the same folder falls back to memory and reports it. */
export function lazyState(
  folder: string,
  onProblem: (problem: string) => void,
): { open(): Promise<Store>; close(): Promise<void> } {
  let opened: Promise<Store> | undefined;
  const open = (): Promise<Store> =>
    (opened ??= sqliteStore({ home: folder }).then((result) => {
      if (!result.ok) {
        onProblem(result.problem);
        return memoryStore();
      }
      if (result.setAside !== undefined)
        onProblem(`The state database was damaged and was renamed to ${result.setAside}`);
      return result.store;
    }));
  return {
    open,
    async close() {
      (await opened)?.close();
    },
  };
}
