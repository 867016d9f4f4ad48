import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import { failed } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Counts calls against limits shared by several tools or callers. */
export interface Allowances {
  /** Charges one call to every matching limit; returns an error if one is exhausted. */
  take(call: Call, tool: Tool): ToolError | undefined;
}

/** Rejects a call whose caller has exhausted a limit over all tools. */
export function allowance(options: { readonly allowances: Allowances }): Guard {
  return (tool, next) => (call) => {
    const error = options.allowances.take(call, tool);
    return error === undefined ? next(call) : Promise.resolve(failed(error));
  };
}
