import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { refuseUnreached } from '../core/outcome.js';
import type { AcquireResult } from '../lib/semaphore.js';
import type { Semaphore, SemaphoreOptions } from '../lib/semaphore.js';
import { semaphore } from '../lib/semaphore.js';
import type { Operation, Tool } from '../core/tool.js';
import { guardSpec } from './guard-spec.js';

/**
 * Slots by what runs and under which name. A reload composes the guards of a tool again; with new slots it would let as many
 * further calls start as are running already.
 */
const slotsByRun = new WeakMap<
  Operation,
  Map<string, { readonly options: SemaphoreOptions; readonly slots: Semaphore }>
>();

/** The slots of a tool, with its present limits. */
function slotsOf({ name, run, limits }: Tool): Semaphore {
  let named = slotsByRun.get(run);
  if (named === undefined) slotsByRun.set(run, (named = new Map()));
  const wanted = { slots: limits.concurrency, queue: limits.queue, queueTimeoutMs: limits.queueTimeoutMs };
  let known = named.get(name);
  if (known === undefined) named.set(name, (known = { options: wanted, slots: semaphore(wanted) }));
  else Object.assign(known.options, wanted);
  return known.slots;
}

/** Calls of these tools that wait for a free slot. */
export function queuedCalls(tools: Iterable<Tool>): number {
  let queued = 0;
  for (const { name, run } of tools) queued += slotsByRun.get(run)?.get(name)?.slots.waiting() ?? 0;
  return queued;
}

/** Limits concurrent calls per tool, with a short bounded queue that is fair by principal; an aborted caller leaves the queue. */
export const concurrency: Guard = (tool, next) => {
  const { queueTimeoutMs } = tool.limits;
  const slots = slotsOf(tool);

  return async (call) => {
    const acquired = slots.acquire(call.principal.id, call.signal);
    if (acquired !== true) {
      const result = await acquired;
      if (result !== 'acquired') return toRefusal(result, tool.name, queueTimeoutMs);
    }
    try {
      return await next(call);
    } finally {
      slots.release();
    }
  };
};

function toRefusal(result: Exclude<AcquireResult, 'acquired'>, tool: string, queueTimeoutMs: number): Outcome {
  if (result === 'aborted')
    return refuseUnreached('cancelled', 'The caller disconnected while waiting for a free slot');
  const message =
    result === 'full' ? `${tool} is busy and its queue is full` : `${tool} was busy for ${queueTimeoutMs} ms`;
  return refuseUnreached('busy', message, { retryAfterMs: 1000 });
}

export const concurrencySpec = guardSpec({
  name: 'concurrency',
  does: 'slots per tool, with a short queue',
  answers: 'busy',
  make: () => concurrency,
});
