import type { Fact, Origin, Taint } from '../facts/facts.js';
import { newSite, type Site } from '../facts/sites.js';
import type { Hit, CallSite } from '../models/sinks.js';
import type { FunctionOutcome } from './summaries.js';
import type { Trace } from '../facts/traces.js';

/** Replaces the taints a summary was computed with by those of another call. */
export interface Substitution {
  readonly taint: (taint: Taint) => Taint;
  readonly fact: (fact: Fact) => Fact;
}

const isSameTaint = (one: Taint, other: Taint | undefined): boolean =>
  one === other ||
  (one.trace === other?.trace && one.origin.param === other?.origin.param && one.origin.at === other.origin.at);

/**
 * A function behaves the same whatever a tainted parameter is called and wherever it came from: what was computed
 * with `from` holds for `to`. Undefined if both are the same.
 */
export function substitutionBetween(from: readonly Taint[], to: readonly Taint[]): Substitution | undefined {
  // Same taints: the summary applies as it is, and facts keep their identity.
  if (from.every((each, at) => isSameTaint(each, to[at]))) return undefined;
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
    // Tails are shared, so each trace is rewritten once (memoised); the list may be long.
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
  // Shared lists stay shared: facts are compared by list identity.
  const lists = new Map<readonly Taint[], readonly Taint[]>();
  const taintsOf = (taints: readonly Taint[]): readonly Taint[] => {
    if (taints.length === 0) return taints;
    const made = lists.get(taints) ?? taints.map(taintOf);
    lists.set(taints, made);
    return made;
  };
  const factOf = (fact: Fact, depth = 0): Fact => {
    const taints = taintsOf(fact.taints);
    const content = fact.content && taintsOf(fact.content);
    // Parts are shared, so the depth is bounded like that of `relocate`.
    const fields =
      depth < 6
        ? fact.fields && new Map([...fact.fields].map(([key, field]) => [key, factOf(field, depth + 1)]))
        : fact.fields;
    return taints === fact.taints && !content && !fields
      ? fact
      : { ...fact, taints, ...(content ? { content } : {}), ...(fields ? { fields } : {}) };
  };
  return { taint: taintOf, fact: (fact) => factOf(fact) };
}

/** Outcome of a function with the taints replaced. */
export const substituteOutcome = (
  route: Substitution,
  { exits, fields, writes, thrown }: FunctionOutcome,
): FunctionOutcome => ({
  exits: exits.map((exit) => ({ ...exit, fact: route.fact(exit.fact) })),
  fields: new Map([...fields].map(([key, field]) => [key, route.fact(field)])),
  writes: writes.map((write) => ({ ...write, fact: route.fact(write.fact) })),
  thrown: thrown.map(route.fact),
});

/**
 * Outcome with the objects of another call: arguments are replaced in order, and what the function allocated is allocated
 * anew, so that the results of two calls are not taken for one object.
 */
export function relocate(outcome: FunctionOutcome, from: readonly Site[], to: readonly Site[]): FunctionOutcome {
  const sites = new Map(from.map((site, at) => [site, to[at] ?? site]));
  const siteOf = (site: Site): Site => {
    const known = sites.get(site) ?? newSite();
    sites.set(site, known);
    return known;
  };
  const factOf = (fact: Fact, depth = 0): Fact => {
    if (!fact.sites && !fact.fields) return fact;
    const fields =
      fact.fields && depth < 6
        ? new Map([...fact.fields].map(([key, field]) => [key, factOf(field, depth + 1)]))
        : fact.fields;
    return { ...fact, fields, ...(fact.sites ? { sites: fact.sites.map(siteOf) } : {}) };
  };
  return {
    exits: outcome.exits.map((exit) => ({ ...exit, fact: factOf(exit.fact) })),
    fields: new Map([...outcome.fields].map(([key, field]) => [key, factOf(field)])),
    writes: outcome.writes.map((write) => ({ ...write, site: siteOf(write.site), fact: factOf(write.fact) })),
    thrown: outcome.thrown.map((fact) => factOf(fact)),
  };
}

/** Sink hit with the taints replaced. */
export const substituteHit = (route: Substitution, hit: Hit): Hit => ({ ...hit, facts: hit.facts.map(route.fact) });

/** Call with the taints replaced. */
export const substituteCall = (route: Substitution, call: CallSite): CallSite => ({
  ...call,
  args: call.args.map(route.fact),
  named: new Map([...call.named].map(([key, fact]) => [key, route.fact(fact)])),
  receiver: call.receiver && route.fact(call.receiver),
});
