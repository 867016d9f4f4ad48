import type { Ask, Done, Failed } from '../../../core/outcome.js';

/** Task status, as named by the protocol. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** State of a task; plain data, so that a store can persist it. */
export interface TaskRecord {
  readonly id: string;
  /** Owning principal; to all others the task does not exist. */
  readonly owner: string;
  readonly tool: string;
  readonly status: TaskStatus;
  readonly message?: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly ttlMs: number;
  /** Final outcome of the call. */
  readonly answer?: { readonly outcome: Done | Failed; readonly correlationId: string };
  /** Open questions that block the call. */
  readonly asks?: Readonly<Record<string, Ask>>;
}

type MaybePromise<T> = T | Promise<T>;

/** Storage of task records; records disappear when they expire. */
export interface TaskStore {
  put(record: TaskRecord, expiresAt: number): MaybePromise<void>;
  get(id: string): MaybePromise<TaskRecord | undefined>;
  delete(id: string): MaybePromise<void>;
  /** The tasks of one principal, oldest first. */
  list(owner: string): MaybePromise<readonly TaskRecord[]>;
}

/** In-memory task store; lost with the process. */
export function memoryTaskStore(now: () => number = Date.now): TaskStore {
  const records = new Map<string, { readonly record: TaskRecord; readonly expiresAt: number }>();
  const getUnexpired = (id: string): TaskRecord | undefined => {
    const found = records.get(id);
    if (found && found.expiresAt > now()) return found.record;
    records.delete(id);
    return undefined;
  };
  return {
    put(record, expiresAt) {
      records.set(record.id, { record, expiresAt });
    },
    get: getUnexpired,
    delete(id) {
      records.delete(id);
    },
    list(owner) {
      return [...records.keys()].flatMap((id) => {
        const record = getUnexpired(id);
        return record?.owner === owner ? [record] : [];
      });
    },
  };
}
