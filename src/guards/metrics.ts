import { behaviourOf } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import type { Clock } from '../lib/clock.js';
import { monotonic } from '../lib/clock.js';
import { guardSpec } from './guard-spec.js';

type CallStatus = 'success' | 'failure' | 'refused' | 'confirm';

/** Sink of call metrics. */
export interface CallMetrics {
  started(tool: string): void;
  ended(tool: string, status: CallStatus, errorType: string, seconds: number): void;
}

/** Counts every call; decrements the active gauge on every exit path. */
export function metrics(options: { readonly sink: CallMetrics; readonly clock?: Clock }): Guard {
  const { sink, clock = monotonic } = options;
  return (tool, next) => async (call) => {
    const start = clock();
    let outcome: Outcome | undefined;
    sink.started(tool.name);
    try {
      outcome = await next(call);
      return outcome;
    } finally {
      const errorType =
        outcome === undefined ? 'unknown' : outcome.kind === 'failed' ? behaviourOf(outcome.error).type : 'none';
      sink.ended(tool.name, statusOf(outcome), errorType, (clock() - start) / 1000);
    }
  };
}

/** A call that threw counts as a failure. */
function statusOf(outcome: Outcome | undefined): CallStatus {
  if (outcome === undefined) return 'failure';
  if (outcome.kind !== 'failed') return outcome.kind === 'done' ? 'success' : 'confirm';
  return behaviourOf(outcome.error).decision === 'refused' ? 'refused' : 'failure';
}

export const metricsSpec = guardSpec({
  name: 'metrics',
  does: 'counts every outcome',
  answers: '',
  make: ({ metrics: sink }: { readonly metrics?: CallMetrics }) => sink && metrics({ sink }),
});
