import { memoryStore } from '../state/memory-store.js';
import { sqliteStore } from '../state/sqlite-store.js';
import type { Store } from '../state/store.js';
import type { TaskRecord, TaskStore } from '../transports/mcp/task-store.js';

/** Opens the state of this home at the first use; a second gateway on the same home keeps its state in memory, and says so. */
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
      if (result.setAside !== undefined) onProblem(`The state was damaged and is set aside as ${result.setAside}`);
      return result.store;
    }));
  return {
    open,
    async close() {
      (await opened)?.close();
    },
  };
}

const space = 'tasks';

/** Keeps tasks in the state, so that their results outlive a restart. */
export function stateTaskStore(open: () => Promise<Store>): TaskStore {
  const read = (value: string): TaskRecord => JSON.parse(value) as TaskRecord; // only this module writes the space
  return {
    async put(record, expiresAt) {
      (await open()).put(space, record.id, JSON.stringify(record), { expiresAt });
    },
    async get(id) {
      const found = (await open()).get(space, id);
      return found === undefined ? undefined : read(found);
    },
    async delete(id) {
      (await open()).delete(space, id);
    },
    async list(owner) {
      const all = (await open()).list(space).map(({ value }) => read(value));
      return all.filter((record) => record.owner === owner).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
  };
}
