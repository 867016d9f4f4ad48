import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import { refuse } from '../core/outcome.js';

/** Where bugs are told, with everything the caller is not told. */
export interface FaultLog {
  fault(error: unknown, call: Call): void;
}

/** Turns whatever is thrown behind it into `internal`; the caller learns the correlation id and nothing else. */
export function contain(options: { readonly faults: FaultLog }): Guard {
  return (_tool, next) => async (call) => {
    try {
      return await next(call);
    } catch (error) {
      options.faults.fault(error, call);
      return refuse('internal', `Something went wrong inside the gateway; the log has it under ${call.correlationId}`);
    }
  };
}
