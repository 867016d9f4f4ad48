import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { refuse } from '../core/outcome.js';
import type { Admission } from '../lib/semaphore.js';
import { semaphore } from '../lib/semaphore.js';

/** Lets so many calls of a tool run at a time; a few may wait, a while, and who hangs up leaves the line. */
export const concurrency: Guard = (tool, next) => {
  const { concurrency: slots, queue, queueTimeoutMs } = tool.limits;
  const gate = semaphore({ slots, queue, queueTimeoutMs });

  return async (call) => {
    const entered = gate.enter(call.signal);
    if (entered !== true) {
      const how = await entered;
      if (how !== 'admitted') return turnedAway(how, tool.name, queueTimeoutMs);
    }
    try {
      return await next(call);
    } finally {
      gate.leave();
    }
  };
};

function turnedAway(how: Exclude<Admission, 'admitted'>, tool: string, queueTimeoutMs: number): Outcome {
  if (how === 'aborted') return refuse('cancelled', 'The caller hung up while waiting for a free slot');
  const message =
    how === 'full' ? `${tool} is busy and its queue is full` : `${tool} was busy for ${queueTimeoutMs} ms`;
  return refuse('busy', message, { retryAfterMs: 1000 });
}
