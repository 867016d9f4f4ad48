import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';

/** Who hears of calls as they begin and end. */
export interface CallLog {
  began(call: Call): void;
  ended(call: Call, outcome: Outcome): void;
}

/** Tells of every call that begins and ends. */
export function callLog(options: { readonly sink: CallLog }): Guard {
  const { sink } = options;
  return (_tool, next) => async (call) => {
    sink.began(call);
    const outcome = await next(call);
    sink.ended(call, outcome);
    return outcome;
  };
}
