import { readPatternTree, type Alternatives, type Item } from './pattern-tree.js';

/** A pattern that may be run on texts of strangers, or why it may not. */
export type SafePattern =
  | { readonly kind: 'kept'; readonly regex: RegExp; readonly maxLength: number; test(text: string): boolean }
  | { readonly kind: 'dropped'; readonly reason: 'invalid_pattern' | 'slow_pattern'; readonly message: string };

/** About so many steps may one match take. */
const steps = 10_000_000;
const mostChoices = 100_000;
const longestPattern = 4_096;

// Valid in other dialects, and valid but different here: running these would refuse good values.
const foreign = /\\[AZz]|\[\[:\w+:\]|\\[pP]\{|\\x\{|\(\?[imsx]|\\Q|[*+?}]\+/;

/**
 * Reads a pattern written by a stranger. One that cannot be compiled, or that could take exponential time, is dropped; one that
 * could take polynomial time is kept with the longest text it may be run on, and a longer text does not match.
 */
export function safePattern(source: string): SafePattern {
  if (source.length > longestPattern)
    return { kind: 'dropped', reason: 'slow_pattern', message: 'the pattern is too long' };
  const regex = compiled(source);
  if (regex === undefined)
    return { kind: 'dropped', reason: 'invalid_pattern', message: 'the pattern is not one of JavaScript' };
  const tree = readPatternTree(source, regex.unicode);
  const degree = tree === undefined ? Infinity : total(tree, source);
  // Past the fourth power the texts that could still be tried are too short to be of use.
  const choices = tree === undefined ? Infinity : waysThrough(tree);
  if (degree > 4 || choices > mostChoices)
    return {
      kind: 'dropped',
      reason: 'slow_pattern',
      message: 'the pattern could take too long on a text made for that',
    };
  const maxLength = degree <= 1 ? Infinity : Math.floor((steps / choices) ** (1 / degree));
  return { kind: 'kept', regex, maxLength, test: (text) => text.length <= maxLength && regex.test(text) };
}

function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    // Escapes such as \- and \: are errors only under `u`; what means something else without it is not tried.
    if (foreign.test(source)) return undefined;
  }
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}

function total(tree: Alternatives, source: string): number {
  const degree = degreeOf(tree);
  // A search that may begin anywhere tries every beginning.
  return degree > 0 && !source.startsWith('^') ? degree + 1 : degree;
}

/** The power of the text's length that matching may cost; infinite where it may double with each character. */
function degreeOf(tree: Alternatives): number {
  return Math.max(0, ...tree.map(degreeOfSequence));
}

function degreeOfSequence(items: readonly Item[]): number {
  let degree = 0;
  let before: Item | undefined;
  for (const [index, item] of items.entries()) {
    const inner = item.group ? degreeOf(item.group) : 0;
    if (inner === Infinity) return Infinity;
    if (!item.isLong) {
      degree += inner * Math.max(1, item.max);
      continue;
    }
    if (item.group && (inner > 0 || item.group.length > 1) && !isDelimited(item.group)) return Infinity;
    const isSplitOnce = before !== undefined && isBoundary(before, items.slice(items.indexOf(before) + 1, index), item);
    degree = isSplitOnce ? Math.max(degree, 1, inner) : degree + Math.max(1, inner);
    before = item;
  }
  return degree;
}

/** In how many ways the parts that repeat a bounded number of times can be gone through: `(a?){30}` is a thousand million. */
function waysThrough(tree: Alternatives): number {
  return tree.reduce((sum, items) => sum + items.reduce((ways, item) => ways * waysOf(item), 1), 0);
}

function waysOf({ group, min, max, isLong }: Item): number {
  const inner = group ? waysThrough(group) : 1;
  if (isLong) return inner;
  return (max - min + 1) * inner ** max;
}

/** Can a text be split between two repetitions in one way only? */
function isBoundary(one: Item, between: readonly Item[], other: Item): boolean {
  const mandatory = between.filter((item) => item.min > 0);
  if (mandatory.length === 0) return between.length === 0 && disjoint(one.set, other.set);
  return (
    mandatory.some((item) => !item.group && disjoint(item.set, one.set)) ||
    disjoint(one.set, mandatory[0]?.set ?? other.set)
  );
}

/** Does each round of a repeated group begin with a character that nothing else in it can match? */
function isDelimited(group: Alternatives): boolean {
  const first = group.map(([item]) => item);
  if (
    first.some(
      (item) => item === undefined || item.group !== undefined || item.isLong || item.min !== 1 || item.set === 0n,
    )
  )
    return false;
  const starts = first.map((item) => item?.set ?? 0n);
  if (starts.some((set, index) => starts.slice(index + 1).some((other) => !disjoint(set, other)))) return false;
  const all = starts.reduce((sum, set) => sum | set, 0n);
  return group.every(
    (items) => items.slice(1).every((item) => disjoint(item.set, all)) && degreeOfSequence(items) <= 1,
  );
}

const disjoint = (one: bigint, other: bigint): boolean => (one & other) === 0n;
