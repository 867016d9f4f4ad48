import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { refuse } from '../core/outcome.js';
import type { AcquireResult } from '../lib/semaphore.js';
import { semaphore } from '../lib/semaphore.js';

/** Limits concurrent calls per tool, with a short bounded queue; an aborted caller leaves the queue. */
export const concurrency: Guard = (tool, next) => {
  const { concurrency: limit, queue, queueTimeoutMs } = tool.limits;
  const slots = semaphore({ slots: limit, queue, queueTimeoutMs });

  return async (call) => {
    const acquired = slots.acquire(call.signal);
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
  if (result === 'aborted') return refuse('cancelled', 'The caller disconnected while waiting for a free slot');
  const message =
    result === 'full' ? `${tool} is busy and its queue is full` : `${tool} was busy for ${queueTimeoutMs} ms`;
  return refuse('busy', message, { retryAfterMs: 1000 });
}
