import type { Place } from '../../evaluate/values/values.js';
import type { FunctionNode } from '../../ir/nodes.js';
import type { Exit } from '../interpreter/context.js';
import type { Fact, Taint } from '../facts/facts.js';
import type { Site } from '../facts/sites.js';
import type { FieldWrite } from '../facts/updates.js';
import type { Hit, CallSite } from '../models/sinks.js';

/** Observable effect of a function: a reached call, a call with side effects, a sink hit, or the effects of a callee. */
type Event =
  | { readonly kind: 'reached'; readonly name: string; readonly at: Place }
  | { readonly kind: 'call'; readonly call: CallSite }
  | { readonly kind: 'hit'; readonly hit: Hit; readonly call: CallSite }
  | { readonly kind: 'summary'; readonly summary: Summary; readonly given: readonly Taint[] };

/** Result of analysing a function body: its exits and the receiver fields it assigned. */
export interface FunctionOutcome {
  readonly exits: readonly Exit[];
  readonly fields: ReadonlyMap<string, Fact>;
  /** What it wrote into which field of which object it was given. */
  readonly writes: readonly FieldWrite[];
  /** Tainted values it threw. */
  readonly thrown: readonly Fact[];
}

/** Function summary, valid for every call with the same key. */
export interface Summary extends FunctionOutcome {
  /** Taints of the arguments it was computed with; `substitutionBetween` replaces them for another call. */
  readonly given: readonly Taint[];
  /** Objects among the arguments, in order; `relocate` replaces them for another call. */
  readonly sites: readonly Site[];
  readonly events: readonly Event[];
  /** Call depth below the function, and its own depth if the depth limit truncated the analysis. */
  readonly height: number;
  readonly truncatedAt: number | undefined;
  /** Functions visited; the summary does not apply while one of them is on the stack, because recursion is cut there. */
  readonly visited: ReadonlySet<FunctionNode>;
}

/** Collects the effects of a function while it is analysed. */
export interface Recorder {
  readonly events: Event[];
  readonly visited: Set<FunctionNode>;
  readonly included: Set<Summary>;
  readonly depth: number;
  deepest: number;
  isTruncated: boolean;
}

/** Starts recording at a call depth. */
export const startRecorder = (depth: number): Recorder => ({
  events: [],
  visited: new Set(),
  included: new Set(),
  depth,
  deepest: depth,
  isTruncated: false,
});

/** Adds the effects of a callee's summary to its caller's. */
export function includeSummary(outer: Recorder, inner: Summary, given: readonly Taint[], depth: number): void {
  outer.events.push({ kind: 'summary', summary: inner, given });
  outer.deepest = Math.max(outer.deepest, depth + inner.height);
  outer.isTruncated ||= inner.truncatedAt !== undefined;
  // A callee called many times adds its functions once; the union would otherwise dominate recording.
  if (outer.included.has(inner)) return;
  outer.included.add(inner);
  for (const fn of inner.visited) outer.visited.add(fn);
}

/** Adds the effects of a callee that has no summary. */
export function includeRecorder(outer: Recorder, inner: Recorder): void {
  for (const fn of inner.visited) outer.visited.add(fn);
  for (const event of inner.events) outer.events.push(event);
  outer.deepest = Math.max(outer.deepest, inner.deepest);
  outer.isTruncated ||= inner.isTruncated;
}

/** Turns a recording into a summary. */
export const summaryOf = (
  recorder: Recorder,
  left: FunctionOutcome,
  given: readonly Taint[],
  sites: readonly Site[],
): Summary => ({
  ...left,
  given,
  sites,
  events: recorder.events,
  height: recorder.deepest - recorder.depth,
  truncatedAt: recorder.isTruncated ? recorder.depth : undefined,
  visited: recorder.visited,
});

/** Summaries by call key. */
export interface SummaryCache {
  readonly byKey: Map<string, Summary[]>;
  /** Remaining capacity, in events: bounds memory. */
  capacity: number;
}

/** Empty cache with a capacity. */
export const newSummaryCache = (capacity: number): SummaryCache => ({ byKey: new Map(), capacity });

/** Finds a summary that applies at this depth and with this call stack. */
export function findSummary(
  cache: SummaryCache,
  key: string,
  depth: number,
  maxDepth: number,
  callStack: readonly FunctionNode[],
): Summary | undefined {
  // A truncated summary holds only at the depth where it was computed: elsewhere the cut lies in another place.
  return cache.byKey
    .get(key)
    ?.find(
      (each) =>
        (each.truncatedAt === undefined ? depth + each.height <= maxDepth : each.truncatedAt === depth) &&
        !callStack.some((fn) => each.visited.has(fn)),
    );
}

/** Stores a summary while capacity remains. */
export function storeSummary(cache: SummaryCache, key: string, summary: Summary): boolean {
  if (cache.capacity <= 0) return false;
  cache.capacity -= 1 + summary.events.length;
  const before = cache.byKey.get(key);
  if (before) before.push(summary);
  else cache.byKey.set(key, [summary]);
  return true;
}
