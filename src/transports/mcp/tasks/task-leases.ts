import type { Confirmation } from '../../../core/call.js';
import type { TaskRecord } from './task-store.js';

/** Message about a task to the replica that runs it, or from it. */
export type TaskMessage =
  | { readonly kind: 'changed' | 'cancel'; readonly id: string }
  | { readonly kind: 'answers'; readonly id: string; readonly answers: Confirmation['answers'] };

/**
 * Leases of running tasks between replicas that share a task store. A task that does not run here is not failed while another
 * replica renews its lease. Without leases the store has one owner, and a task that does not run here runs nowhere.
 */
export interface TaskLeases {
  readonly replica: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  publish(message: TaskMessage): void;
  subscribe(listener: (message: TaskMessage) => void): void;
}

/** Interval of looks at a task that another replica runs: a message may be lost. */
const pollMs = 500;

/** Fields of a record that say which replica runs the task, and until when it can be trusted to. */
export const leaseFields = (leases: TaskLeases | undefined, now: number): Pick<TaskRecord, 'leaseBy' | 'leaseUntil'> =>
  leases === undefined ? {} : { leaseBy: leases.replica, leaseUntil: now + leases.leaseMs };

/** Whether another replica holds a valid lease of the task. */
export const isLeased = ({ leaseUntil = 0 }: TaskRecord, leases: TaskLeases | undefined, now: number): boolean =>
  leases !== undefined && leaseUntil > now;

/** Clients that wait here for tasks of other replicas. */
interface RemoteWaiters {
  wake(id: string): void;
  /** Resolves on a message about the task, at the next poll, or on abort. */
  wait(id: string, signal: AbortSignal): Promise<void>;
}

export function remoteWaiters(): RemoteWaiters {
  const waiting = new Map<string, Set<() => void>>();
  return {
    wake(id) {
      for (const wake of waiting.get(id) ?? []) wake();
    },
    wait: (id, signal) =>
      new Promise((resolve) => {
        const wakes = waiting.get(id) ?? new Set();
        waiting.set(id, wakes);
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          wakes.delete(wake);
          if (wakes.size === 0) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(wake, pollMs);
        wakes.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      }),
  };
}
