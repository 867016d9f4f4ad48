import type { Store } from '../../../state/store.js';
import type { TaskRecord, TaskStore } from './task-store.js';

const taskSpace = 'tasks';

/** Stores tasks in the state, so that their results survive a restart. */
export function stateTaskStore(open: () => Promise<Store>): TaskStore {
  const read = (value: string): TaskRecord => JSON.parse(value) as TaskRecord; // only this module writes the space
  return {
    async put(record, expiresAt) {
      (await open()).put(taskSpace, record.id, JSON.stringify(record), { expiresAt });
    },
    async get(id) {
      const found = (await open()).get(taskSpace, id);
      return found === undefined ? undefined : read(found);
    },
    async delete(id) {
      (await open()).delete(taskSpace, id);
    },
    async list(owner) {
      const all = (await open()).list(taskSpace).map(({ value }) => read(value));
      return all.filter((record) => record.owner === owner).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
  };
}
