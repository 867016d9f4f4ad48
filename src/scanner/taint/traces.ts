import type { Module, Spot } from '../ir/nodes.js';
import type { Place } from '../evaluate/values.js';
import type { Taint } from './facts.js';

/** The places that a text has gone through, the last one first; what came before is shared by all that went on from there. */
export interface Trace {
  readonly module: Module;
  readonly spot: Spot;
  readonly verb: string;
  readonly name: string | undefined;
  readonly before: Trace | undefined;
}

export interface Step {
  readonly at: Place;
  readonly says: string;
}

const maxSteps = 14;

/** Taints that have gone through one more place. */
export function through(
  taints: readonly Taint[],
  module: Module,
  spot: Spot,
  verb: string,
  name?: string,
): readonly Taint[] {
  if (taints.length === 0) return taints;
  return taints.map((taint) =>
    taint.trace?.spot === spot ? taint : { ...taint, trace: { module, spot, verb, name, before: taint.trace } },
  );
}

/** The first places of a trace, in the order in which they were reached. */
export function stepsOf(trace: Trace | undefined): readonly Step[] {
  const found: Step[] = [];
  for (let at = trace; at; at = at.before) {
    const { module, spot, verb, name } = at;
    found.push({ at: { module, spot }, says: name === undefined ? verb : `${verb} ${name}` });
  }
  return found.toReversed().slice(0, maxSteps);
}
