import type { Ask, Done, Failed } from '../../../core/outcome.js';

/** Task status, as named by the protocol. */
type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

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
  /** Whether the call ended with an error of the tool. */
  readonly toolFailed?: boolean;
  /** Size of the stored answer. */
  readonly answerBytes?: number;
  /** Open questions that block the call. */
  readonly asks?: Readonly<Record<string, Ask>>;
  /** Replica that runs the task, and the wall-clock milliseconds until which that is so unless it renews. */
  readonly leaseBy?: string;
  readonly leaseUntil?: number;
}

/** Final outcome of the call of a task. */
export interface TaskAnswer {
  readonly outcome: Done | Failed;
  readonly correlationId: string;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * Storage of tasks by owner; tasks disappear when they expire. Answers are stored apart from records, so that a list reads none of
 * them, and every operation names the owner, so that none reads the tasks of another one.
 */
export interface TaskStore {
  /** Stores a record, and its serialised answer if there is one. */
  put(record: TaskRecord, expiresAt: number, answer?: string): MaybePromise<void>;
  /** Replaces a record that is still `from`; false if it changed meanwhile. */
  replace(from: TaskRecord, to: TaskRecord, expiresAt: number, answer?: string): MaybePromise<boolean>;
  get(owner: string, id: string): MaybePromise<TaskRecord | undefined>;
  answer(owner: string, id: string): MaybePromise<string | undefined>;
  /** The tasks of one principal, oldest first. */
  list(owner: string): MaybePromise<readonly TaskRecord[]>;
}

interface MemoryEntry {
  readonly record: TaskRecord;
  readonly expiresAt: number;
  readonly answer: string | undefined;
}

/** In-memory task store; lost with the process. */
export function memoryTaskStore(now: () => number = Date.now): TaskStore {
  const owners = new Map<string, Map<string, MemoryEntry>>();
  const entriesOf = (owner: string): ReadonlyMap<string, MemoryEntry> => {
    const entries = owners.get(owner) ?? new Map<string, MemoryEntry>();
    for (const [id, { expiresAt }] of entries) if (expiresAt <= now()) entries.delete(id);
    if (entries.size === 0) owners.delete(owner);
    return entries;
  };
  const put = (record: TaskRecord, expiresAt: number, answer?: string): void => {
    let entries = owners.get(record.owner);
    if (entries === undefined) owners.set(record.owner, (entries = new Map()));
    entries.set(record.id, { record, expiresAt, answer: answer ?? entries.get(record.id)?.answer });
  };
  return {
    put,
    replace(from, to, expiresAt, answer) {
      if (entriesOf(from.owner).get(from.id)?.record !== from) return false;
      put(to, expiresAt, answer);
      return true;
    },
    get: (owner, id) => entriesOf(owner).get(id)?.record,
    answer: (owner, id) => entriesOf(owner).get(id)?.answer,
    list: (owner) => [...entriesOf(owner).values()].map(({ record }) => record),
  };
}
