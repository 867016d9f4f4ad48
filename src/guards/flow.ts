import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Record of the data labels a conversation has touched. */
interface FlowRecord {
  /** Records the labels of the tool; the returned function ends the entry, with no outcome if the tool threw. */
  enter(call: Call, tool: Tool): (outcome: Outcome | undefined) => void;
}

/**
 * Records the labels of a tool before it runs, and those its result earns before the result can be used in the next call: a tool
 * that still runs may already have sent private data as progress (data exfiltration across calls).
 */
export function flow({ record }: { readonly record: FlowRecord }): Guard {
  return (tool, next) => async (call) => {
    const leave = record.enter(call, tool);
    let outcome: Outcome | undefined;
    try {
      return (outcome = await next(call));
    } finally {
      leave(outcome);
    }
  };
}
