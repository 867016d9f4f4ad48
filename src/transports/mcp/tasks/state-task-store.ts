import { sha256 } from '../../../lib/hash.js';
import type { Store } from '../../../state/store.js';
import type { TaskRecord, TaskStore } from './task-store.js';

const recordSpace = 'task-records';
const answerSpace = 'task-answers';

/** Keys of one owner share a prefix. Hashed, so that no owner's name can be the beginning of another owner's key. */
const ownerPrefix = (owner: string): string => `${sha256(owner)}\0`;

/** Stores tasks in the state, so that their results survive a restart. */
export function stateTaskStore(open: () => Promise<Store>): TaskStore {
  const parse = (value: string): TaskRecord => JSON.parse(value) as TaskRecord; // only this module writes the space
  return {
    async put(record, expiresAt, answer) {
      const store = await open();
      const key = ownerPrefix(record.owner) + record.id;
      if (answer !== undefined) await store.put(answerSpace, key, answer, { expiresAt });
      await store.put(recordSpace, key, JSON.stringify(record), { expiresAt });
    },
    async replace(from, to, expiresAt, answer) {
      const store = await open();
      const key = ownerPrefix(from.owner) + from.id;
      // Parsing keeps the order of fields, so a record that was read serialises to the text that is stored.
      if (!(await store.swap(recordSpace, key, JSON.stringify(from), JSON.stringify(to), { expiresAt }))) return false;
      if (answer !== undefined) await store.put(answerSpace, key, answer, { expiresAt });
      return true;
    },
    async get(owner, id) {
      const found = await (await open()).get(recordSpace, ownerPrefix(owner) + id);
      return found === undefined ? undefined : parse(found);
    },
    answer: async (owner, id) => (await open()).get(answerSpace, ownerPrefix(owner) + id),
    async list(owner) {
      const records = await (await open()).list(recordSpace, { prefix: ownerPrefix(owner) });
      return records.map(({ value }) => parse(value)).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
    },
  };
}
