import type { Call } from '../core/call.js';
import type { ErrorCode } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Record of the data labels a conversation has touched. */
interface FlowRecord {
  add(call: Call, tool: Tool, outcome: Outcome): void;
}

/** Refusals of inner guards after which nothing has run. */
const notStartedCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['busy', 'circuit_open']);

/** Records every call that ran before its result can be used in the next one (data exfiltration across calls). */
export function flow({ record }: { readonly record: FlowRecord }): Guard {
  return (tool, next) => async (call) => {
    const outcome = await next(call);
    if (outcome.kind !== 'failed' || !notStartedCodes.has(outcome.error.code)) record.add(call, tool, outcome);
    return outcome;
  };
}
