import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import { refuse } from '../core/outcome.js';
import { guardSpec } from './guard-spec.js';

/** Log of bugs, with the details that are not exposed to the caller. */
export interface FaultLog {
  fault(error: unknown, call: Call): void;
}

/** Converts exceptions of inner guards and tools to `internal`; exposes only the correlation id (information leak). */
export function contain(options: { readonly faults: FaultLog }): Guard {
  return (_tool, next) => async (call) => {
    try {
      return await next(call);
    } catch (error) {
      options.faults.fault(error, call);
      // The caller gets an id and no text: messages of exceptions contain paths and addresses.
      return refuse('internal', `Internal error; see the gateway log under ${call.correlationId}`);
    }
  };
}

export const containSpec = guardSpec({
  name: 'contain',
  does: 'turns exceptions into `internal`; details go to the log',
  answers: 'internal',
  make: ({ faults }: { readonly faults?: FaultLog }) => faults && contain({ faults }),
});
