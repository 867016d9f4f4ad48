import type { Place } from '../evaluate/values.js';
import type { FunctionNode } from '../ir/nodes.js';
import type { Exit } from './context.js';
import type { Fact, Taint } from './facts.js';
import type { Hit, SeenCall } from './sinks.js';

/** Something that running a function shows to whoever watches: a call, a hit, or all that another function showed. */
export type Event =
  | { readonly kind: 'reached'; readonly name: string; readonly at: Place }
  | { readonly kind: 'call'; readonly call: SeenCall }
  | { readonly kind: 'hit'; readonly hit: Hit; readonly call: SeenCall }
  | { readonly kind: 'summary'; readonly summary: Summary; readonly given: readonly Taint[] };

/** How a function was left; of a call without a caller's text only what all ways have in common is kept. */
export interface Left {
  readonly exits: readonly Exit[];
  readonly fields: ReadonlyMap<string, Fact>;
}

/** What a function did with what it was given: it does the same with the same. */
export interface Summary extends Left {
  /** The caller's texts among what it was given, for which all of this is told; it holds for any others in their place. */
  readonly given: readonly Taint[];
  readonly events: readonly Event[];
  /** How many calls deep it went, and the depth it ran at where that kept it from going on. */
  readonly height: number;
  readonly onlyAt: number | undefined;
  /** Every function that it ran or tried to: with one of them under way already it would have done something else. */
  readonly touched: ReadonlySet<FunctionNode>;
}

/** What is noted while a function runs. */
export interface Recorder {
  readonly events: Event[];
  readonly touched: Set<FunctionNode>;
  readonly included: Set<Summary>;
  readonly depth: number;
  deepest: number;
  isCut: boolean;
}

/** Notes from here on. */
export const recorderAt = (depth: number): Recorder => ({
  events: [],
  touched: new Set(),
  included: new Set(),
  depth,
  deepest: depth,
  isCut: false,
});

/** Adds what a function showed with these texts of the caller to what the one that called it shows. */
export function include(outer: Recorder, inner: Summary, given: readonly Taint[], depth: number): void {
  outer.events.push({ kind: 'summary', summary: inner, given });
  outer.deepest = Math.max(outer.deepest, depth + inner.height);
  outer.isCut ||= inner.onlyAt !== undefined;
  if (outer.included.has(inner)) return;
  outer.included.add(inner);
  for (const fn of inner.touched) outer.touched.add(fn);
}

/** The same for a function of which no summary is kept. */
export function includeAll(outer: Recorder, inner: Recorder): void {
  for (const fn of inner.touched) outer.touched.add(fn);
  for (const event of inner.events) outer.events.push(event);
  outer.deepest = Math.max(outer.deepest, inner.deepest);
  outer.isCut ||= inner.isCut;
}

/** What was noted, as a summary. */
export const summaryOf = (recorder: Recorder, left: Left, given: readonly Taint[]): Summary => ({
  ...left,
  given,
  events: recorder.events,
  height: recorder.deepest - recorder.depth,
  onlyAt: recorder.isCut ? recorder.depth : undefined,
  touched: recorder.touched,
});

/** Summaries by what they hang on. */
export interface Shelf {
  readonly found: Map<string, Summary[]>;
  /** How many more may be kept. */
  room: number;
}

export const emptyShelf = (room: number): Shelf => ({ found: new Map(), room });

/** A summary that holds at this depth with these functions under way. */
export function kept(
  shelf: Shelf,
  key: string,
  depth: number,
  maxDepth: number,
  running: readonly FunctionNode[],
): Summary | undefined {
  return shelf.found
    .get(key)
    ?.find(
      (each) =>
        (each.onlyAt === undefined ? depth + each.height <= maxDepth : each.onlyAt === depth) &&
        !running.some((fn) => each.touched.has(fn)),
    );
}

/** Keeps a summary, if there is room. */
export function keep(shelf: Shelf, key: string, summary: Summary): boolean {
  if (shelf.room <= 0) return false;
  shelf.room -= 1 + summary.events.length;
  const before = shelf.found.get(key);
  if (before) before.push(summary);
  else shelf.found.set(key, [summary]);
  return true;
}
