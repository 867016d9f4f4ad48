import type { FunctionNode } from '../ir/nodes.js';
import type { Exit } from './context.js';
import type { Fact } from './facts.js';
import type { Hit, SeenCall } from './sinks.js';

/** Something that running a function shows to whoever watches: a call, a hit, or all that another function showed. */
export type Event =
  | { readonly kind: 'call'; readonly call: SeenCall }
  | { readonly kind: 'hit'; readonly hit: Hit; readonly call: SeenCall }
  | { readonly kind: 'summary'; readonly summary: Summary };

/** What a function did with what it was given: it does the same with the same. */
export interface Summary {
  /** How it was left; of a call without a caller's text only what all ways have in common is kept. */
  readonly exits: readonly Exit[];
  readonly fields: ReadonlyMap<string, Fact>;
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
  readonly depth: number;
  deepest: number;
  isCut: boolean;
}

/** Notes from here on. */
export const recorderAt = (depth: number): Recorder => ({
  events: [],
  touched: new Set(),
  depth,
  deepest: depth,
  isCut: false,
});

/** Adds what a function showed to what the one that called it shows. */
export function include(outer: Recorder, inner: Summary | Recorder, depth: number): void {
  for (const fn of inner.touched) outer.touched.add(fn);
  if ('height' in inner) {
    outer.events.push({ kind: 'summary', summary: inner });
    outer.deepest = Math.max(outer.deepest, depth + inner.height);
    outer.isCut ||= inner.onlyAt !== undefined;
    return;
  }
  for (const event of inner.events) outer.events.push(event);
  outer.deepest = Math.max(outer.deepest, inner.deepest);
  outer.isCut ||= inner.isCut;
}

/** What was noted, as a summary. */
export const summaryOf = (recorder: Recorder, exits: readonly Exit[], fields: ReadonlyMap<string, Fact>): Summary => ({
  exits,
  fields,
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
