import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { instructionsLabel, stateUnavailable } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import type { Soon } from '../lib/soon.js';
import { guardSpec } from './guard-spec.js';

/** Record of the data labels a conversation has touched. */
export interface FlowRecord {
  /** Records the labels of the tool before it runs. */
  enter(call: Call, tool: Tool): FlowEntry;
}

interface FlowEntry {
  /** Resolves when the labels are recorded; absent if they are. */
  readonly saved?: Soon<void>;
  /** Ends the entry: keeps the labels and adds the earned ones, or takes them back if the tool was never reached. */
  leave(hasRun: boolean, earned?: readonly string[]): Soon<void>;
}

/**
 * Records the labels of a tool before it runs, and those its result earns before the result can be used in the next call: a tool
 * that still runs may already have sent private data as progress (data exfiltration across calls). Fails closed if they cannot
 * be recorded.
 */
export function flow({ flows }: { readonly flows: FlowRecord }): Guard {
  return (tool, next) => async (call) => {
    const entry = flows.enter(call, tool);
    if (entry.saved instanceof Promise) {
      try {
        await entry.saved;
      } catch {
        return stateUnavailable('The labels of this call cannot be recorded');
      }
    }
    let outcome: Outcome | undefined;
    let saved: Soon<void>;
    try {
      outcome = await next(call);
    } finally {
      saved = entry.leave(!isUnreached(outcome), earnedLabels(outcome));
    }
    if (saved instanceof Promise) {
      try {
        await saved;
      } catch {
        return stateUnavailable('The tool ran, but the labels of its result cannot be recorded');
      }
    }
    return outcome;
  };
}

/** Whether a guard refused the call before the tool was reached; a call that threw may have reached it. */
const isUnreached = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'failed' && outcome.notStarted === true;

/** Labels derived from a result: after instructions to the model, later calls of the conversation are suspect. */
const earnedLabels = (outcome: Outcome | undefined): readonly string[] =>
  outcome !== undefined && outcome.kind !== 'confirm' && outcome.injection !== undefined ? [instructionsLabel] : [];

export const flowSpec = guardSpec({
  name: 'flow',
  does: 'records which labels the session has touched',
  answers: '',
  make: ({ flows }: { readonly flows?: FlowRecord }) => flows && flow({ flows }),
});
