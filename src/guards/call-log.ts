import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';

/** Observer of calls. */
export interface CallLog {
  started(call: Call): void;
  ended(call: Call, outcome: Outcome): void;
}

/** Notifies the sink of the start and end of every call. */
export function callLog(options: { readonly sink: CallLog }): Guard {
  const { sink } = options;
  return (_tool, next) => async (call) => {
    sink.started(call);
    const outcome = await next(call);
    sink.ended(call, outcome);
    return outcome;
  };
}
