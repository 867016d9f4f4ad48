import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import { failed } from '../core/outcome.js';
import type { Outcome } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import { guardSpec } from './guard-spec.js';
import type { Soon } from '../lib/soon.js';

/** Counts calls against limits shared by several tools or callers. */
export interface Allowances {
  /** Charges one call to every matching limit; returns an error if one is exhausted. */
  take(call: Call, tool: Tool): Soon<ToolError | undefined>;
}

/** Rejects a call whose caller has exhausted a limit over all tools. */
export function allowance(options: { readonly allowances: Allowances }): Guard {
  return (tool, next) => (call) => {
    const decide = (error: ToolError | undefined): Promise<Outcome> =>
      error === undefined ? next(call) : Promise.resolve(failed(error));
    const taken = options.allowances.take(call, tool);
    // Local counters answer at once; an await would cost every call a turn of the event loop.
    return taken instanceof Promise ? taken.then(decide) : decide(taken);
  };
}

export const allowanceSpec = guardSpec({
  name: 'allowance',
  does: 'rates and budgets across several tools',
  answers: 'rate_limited',
  make: ({ allowances }: { readonly allowances?: Allowances }) => allowances && allowance({ allowances }),
});
