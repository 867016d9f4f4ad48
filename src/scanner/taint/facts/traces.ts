import type { Module, Spot } from '../../ir/nodes.js';
import type { Place } from '../../evaluate/values/values.js';
import type { Taint } from './facts.js';

/** Flow steps as a linked list, newest first; the tail is shared between flows, so adding a step is O(1). */
export interface Trace {
  readonly module: Module;
  readonly spot: Spot;
  readonly verb: string;
  readonly name: string | undefined;
  readonly before: Trace | undefined;
}

/** One step as shown in a finding. */
interface Step {
  readonly at: Place;
  readonly says: string;
}

/** Steps shown in a finding; a longer path explains nothing more. */
const maxSteps = 14;

/** Adds one step to the trace of every taint. */
export function addTraceStep(
  taints: readonly Taint[],
  module: Module,
  spot: Spot,
  verb: string,
  name?: string,
): readonly Taint[] {
  if (taints.length === 0) return taints;
  return taints.map((taint) =>
    // The same place twice in a row comes from evaluating an expression again, not from a further step.
    taint.trace?.spot === spot ? taint : { ...taint, trace: { module, spot, verb, name, before: taint.trace } },
  );
}

/** Steps of a trace, oldest first, bounded. */
export function traceSteps(trace: Trace | undefined): readonly Step[] {
  const found: Step[] = [];
  for (let at = trace; at; at = at.before) {
    const { module, spot, verb, name } = at;
    found.push({ at: { module, spot }, says: name === undefined ? verb : `${verb} ${name}` });
  }
  return found.toReversed().slice(0, maxSteps);
}
