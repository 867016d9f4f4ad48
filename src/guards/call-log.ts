import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import { monotonic, type Clock } from '../lib/clock.js';
import type { Outcome } from '../core/outcome.js';
import { guardSpec } from './guard-spec.js';

/** Observer of calls. */
export interface CallLog {
  started(call: Call): void;
  ended(call: Call, outcome: Outcome, durationMs: number): void;
}

/** Notifies the sink of the start and end of every call. */
export function callLog(options: { readonly sink: CallLog; readonly clock?: Clock }): Guard {
  const { sink, clock = monotonic } = options;
  return (_tool, next) => async (call) => {
    sink.started(call);
    const startedAt = clock();
    const outcome = await next(call);
    sink.ended(call, outcome, clock() - startedAt);
    return outcome;
  };
}

export const callLogSpec = guardSpec({
  name: 'callLog',
  does: 'logs tool.start, tool.end, tool.error',
  answers: '',
  make: ({ lines }: { readonly lines?: CallLog }) => lines && callLog({ sink: lines }),
});
