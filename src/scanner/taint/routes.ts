import type { Fact, Origin, Taint } from './facts.js';
import type { Hit, SeenCall } from './sinks.js';
import type { Left } from './summaries.js';
import type { Trace } from './traces.js';

/** Tells what was found with some texts of a caller as it is for others that were given in their place. */
export interface Route {
  readonly taint: (taint: Taint) => Taint;
  readonly fact: (fact: Fact) => Fact;
}

const isSame = (one: Taint, other: Taint | undefined): boolean =>
  one === other ||
  (one.trace === other?.trace && one.origin.param === other?.origin.param && one.origin.at === other.origin.at);

/**
 * What a function does with a text hangs neither on how the caller names it nor on the way it took: what was found
 * with `from` holds for `to`. Undefined where both are the same.
 */
export function routeBetween(from: readonly Taint[], to: readonly Taint[]): Route | undefined {
  if (from.every((each, at) => isSame(each, to[at]))) return undefined;
  const params = new Map<string, string>();
  const places = new Map<Origin['at'], Origin['at']>();
  const traces = new Map<Trace, Trace | undefined>();
  from.forEach((each, at) => {
    const other = to[at];
    if (!other) return;
    params.set(each.origin.param, other.origin.param);
    places.set(each.origin.at, other.origin.at);
    if (each.trace) traces.set(each.trace, other.trace);
  });
  const traceOf = (trace: Trace | undefined): Trace | undefined => {
    if (trace === undefined || traces.has(trace)) return trace && traces.get(trace);
    const before = traceOf(trace.before);
    const made = before === trace.before ? trace : { ...trace, before };
    traces.set(trace, made);
    return made;
  };
  const originOf = (origin: Origin): Origin => {
    const param = params.get(origin.param) ?? origin.param;
    const at = places.get(origin.at) ?? origin.at;
    return param === origin.param && at === origin.at ? origin : { param, at };
  };
  const taintOf = (taint: Taint): Taint => {
    const [origin, trace] = [originOf(taint.origin), traceOf(taint.trace)];
    return origin === taint.origin && trace === taint.trace ? taint : { ...taint, origin, trace };
  };
  // What was one list stays one: facts are told apart by it.
  const lists = new Map<readonly Taint[], readonly Taint[]>();
  const taintsOf = (taints: readonly Taint[]): readonly Taint[] => {
    if (taints.length === 0) return taints;
    const made = lists.get(taints) ?? taints.map(taintOf);
    lists.set(taints, made);
    return made;
  };
  const factOf = (fact: Fact): Fact => {
    const taints = taintsOf(fact.taints);
    const content = fact.content && taintsOf(fact.content);
    const fields = fact.fields && new Map([...fact.fields].map(([key, field]) => [key, factOf(field)]));
    return taints === fact.taints && !content && !fields
      ? fact
      : { ...fact, taints, ...(content ? { content } : {}), ...(fields ? { fields } : {}) };
  };
  return { taint: taintOf, fact: factOf };
}

/** How a function was left, on a route. */
export const leftOn = (route: Route, { exits, fields }: Left): Left => ({
  exits: exits.map((exit) => ({ ...exit, fact: route.fact(exit.fact) })),
  fields: new Map([...fields].map(([key, field]) => [key, route.fact(field)])),
});

/** A hit on a route. */
export const hitOn = (route: Route, hit: Hit): Hit => ({ ...hit, facts: hit.facts.map(route.fact) });

/** A call on a route. */
export const callOn = (route: Route, call: SeenCall): SeenCall => ({
  ...call,
  args: call.args.map(route.fact),
  named: new Map([...call.named].map(([key, fact]) => [key, route.fact(fact)])),
  receiver: call.receiver && route.fact(call.receiver),
});
