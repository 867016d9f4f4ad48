import type { Bus } from '../../../state/bus.js';
import type { TaskLeases, TaskMessage } from './task-leases.js';

/** Leases of tasks, with messages over the bus. */
export const busLeases = (bus: Bus): TaskLeases => ({
  replica: bus.replica,
  leaseMs: 20_000,
  renewMs: 5_000,
  publish: (message) => bus.publish('task', { ...message } as never),
  // Only authenticated replicas publish, and they publish task messages under this topic.
  subscribe: (listener) => bus.subscribe('task', (message) => listener(message as unknown as TaskMessage)),
});
