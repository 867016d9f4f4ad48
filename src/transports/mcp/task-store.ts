import type { Ask, Done, Failed } from '../../core/outcome.js';

export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** What is known of a task; plain data, so that any store can keep it across a restart. */
export interface TaskRecord {
  readonly id: string;
  /** The principal it belongs to; nobody else can tell that it exists. */
  readonly owner: string;
  readonly tool: string;
  readonly status: TaskStatus;
  readonly message?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly ttlMs: number;
  /** How the call ended. */
  readonly answer?: { readonly outcome: Done | Failed; readonly correlationId: string };
  /** What must still be answered before the call can go on. */
  readonly asks?: Readonly<Record<string, Ask>>;
}

type Soon<T> = T | Promise<T>;

/** Where tasks are kept; a record is gone after it expires. */
export interface TaskStore {
  put(record: TaskRecord, expiresAt: number): Soon<void>;
  get(id: string): Soon<TaskRecord | undefined>;
  delete(id: string): Soon<void>;
  /** The tasks of one principal, oldest first. */
  list(owner: string): Soon<readonly TaskRecord[]>;
}

/** A store in memory; everything in it ends with the process. */
export function memoryTaskStore(now: () => number = Date.now): TaskStore {
  const records = new Map<string, { readonly record: TaskRecord; readonly expiresAt: number }>();
  const fresh = (id: string): TaskRecord | undefined => {
    const found = records.get(id);
    if (found && found.expiresAt > now()) return found.record;
    records.delete(id);
    return undefined;
  };
  return {
    put(record, expiresAt) {
      records.set(record.id, { record, expiresAt });
    },
    get: fresh,
    delete(id) {
      records.delete(id);
    },
    list(owner) {
      return [...records.keys()].flatMap((id) => {
        const record = fresh(id);
        return record?.owner === owner ? [record] : [];
      });
    },
  };
}
