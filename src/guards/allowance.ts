import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import { failed } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Counts calls against limits that reach over several tools or callers. */
export interface Allowances {
  /** Takes one call from every limit it counts against; an error where one is used up. */
  take(call: Call, tool: Tool): ToolError | undefined;
}

/** Lets a call pass while its caller has something left, over all its tools. */
export function allowance(options: { readonly allowances: Allowances }): Guard {
  return (tool, next) => (call) => {
    const objection = options.allowances.take(call, tool);
    return objection === undefined ? next(call) : Promise.resolve(failed(objection));
  };
}
