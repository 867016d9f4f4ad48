import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import { failed } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Decides on one call; undefined allows it. */
export interface Authorizer {
  decide(call: Call, tool: Tool): ToolError | undefined;
}

/** Rejects calls the authorizer denies; hiding a tool from lists is not a protection, this guard is. */
export function authorize(options: { readonly authorizer: Authorizer }): Guard {
  return (tool, next) => (call) => {
    const error = options.authorizer.decide(call, tool);
    return error === undefined ? next(call) : Promise.resolve(failed(error));
  };
}
