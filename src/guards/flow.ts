import type { Call } from '../core/call.js';
import type { ErrorCode } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Remembers what a conversation has touched. */
export interface FlowRecord {
  note(call: Call, tool: Tool, outcome: Outcome): void;
}

/** Refusals behind this guard after which nothing has run. */
const untouched: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['busy', 'circuit_open']);

/** Has every call that ran remembered, before its result can be used for the next one. */
export function flow({ record }: { readonly record: FlowRecord }): Guard {
  return (tool, next) => async (call) => {
    const outcome = await next(call);
    if (outcome.kind !== 'failed' || !untouched.has(outcome.error.code)) record.note(call, tool, outcome);
    return outcome;
  };
}
