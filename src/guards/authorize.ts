import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import { failed } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Decides on one call; undefined lets it pass. */
export interface Authorizer {
  decide(call: Call, tool: Tool): ToolError | undefined;
}

/** Lets a call pass only if the authorizer has nothing against it; a list that hides a tool is no protection, this is. */
export function authorize(options: { readonly authorizer: Authorizer }): Guard {
  return (tool, next) => (call) => {
    const objection = options.authorizer.decide(call, tool);
    return objection === undefined ? next(call) : Promise.resolve(failed(objection));
  };
}
