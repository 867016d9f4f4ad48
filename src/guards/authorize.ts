import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import { failed, stateUnavailable } from '../core/outcome.js';
import type { Handler, Tool } from '../core/tool.js';
import type { Soon } from '../lib/soon.js';
import { guardSpec } from './guard-spec.js';

/** Decides on one call; undefined allows it. */
export interface Authorizer {
  decide(call: Call, tool: Tool): ToolError | undefined;
  /** Fetches what the decision needs from other replicas; rejects if it is unknown. */
  prepare?(call: Call, tool: Tool): Soon<void>;
}

/** Rejects calls the authorizer denies; hiding a tool from lists is not a protection, this guard is. */
export function authorize(options: { readonly authorizer: Authorizer }): Guard {
  const { authorizer } = options;
  return (tool, next) => {
    const decide: Handler = (call) => {
      const error = authorizer.decide(call, tool);
      return error === undefined ? next(call) : Promise.resolve(failed(error));
    };
    return (call) => {
      const prepared = authorizer.prepare?.(call, tool);
      if (!(prepared instanceof Promise)) return decide(call);
      return prepared.then(
        () => decide(call),
        // Unknown labels refuse the call: a flow rule must not be skipped because the store is down (fail closed).
        () => stateUnavailable('The earlier calls of this conversation cannot be read'),
      );
    };
  };
}

export const authorizeSpec = guardSpec({
  name: 'authorize',
  does: 'evaluates policy on the parsed call',
  answers: 'policy_denied',
  make: ({ authorizer }: { readonly authorizer?: Authorizer }) => authorizer && authorize({ authorizer }),
});
