import { parsePattern, type Alternatives, type PatternItem } from './pattern-tree.js';

/** A pattern that is safe to run on untrusted text, or why it is rejected. */
type SafePattern =
  | { readonly kind: 'accepted'; readonly regex: RegExp; readonly maxLength: number; test(text: string): boolean }
  | { readonly kind: 'rejected'; readonly reason: 'invalid_pattern' | 'slow_pattern'; readonly message: string };

/** Approximate limit of matching steps. */
const maxSteps = 10_000_000;
const maxPaths = 100_000;
const maxPatternLength = 4_096;

// Valid in other dialects, and valid but different in JavaScript: running these would reject good values.
const otherDialect = /\\[AZz]|\[\[:\w+:\]|\\[pP]\{|\\x\{|\(\?[imsx]|\\Q|[*+?}]\+/;

/**
 * Checks an untrusted regular expression for catastrophic backtracking (ReDoS). One that cannot be compiled, or could take
 * exponential time, is rejected; one that could take polynomial time gets a maximum text length, and longer text does not match.
 */
export function safePattern(source: string): SafePattern {
  if (source.length > maxPatternLength)
    return { kind: 'rejected', reason: 'slow_pattern', message: 'the pattern is too long' };
  const regex = compileRegExp(source);
  if (regex === undefined)
    return { kind: 'rejected', reason: 'invalid_pattern', message: 'not a valid JavaScript regular expression' };
  const tree = parsePattern(source, regex.unicode);
  const degree = tree === undefined ? Infinity : totalDegree(tree, source);
  // Beyond the fourth power the allowed texts would be too short to be useful.
  const paths = tree === undefined ? Infinity : countPaths(tree);
  if (degree > 4 || paths > maxPaths)
    return {
      kind: 'rejected',
      reason: 'slow_pattern',
      message: 'the pattern is vulnerable to catastrophic backtracking (ReDoS)',
    };
  const maxLength = degree <= 1 ? Infinity : Math.floor((maxSteps / paths) ** (1 / degree));
  return { kind: 'accepted', regex, maxLength, test: (text) => text.length <= maxLength && regex.test(text) };
}

function compileRegExp(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    // Escapes such as \- and \: are errors only with the `u` flag; syntax with another meaning without it is not retried.
    if (otherDialect.test(source)) return undefined;
  }
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}

function totalDegree(tree: Alternatives, source: string): number {
  const degree = degreeOf(tree);
  // An unanchored search tries every start position.
  return degree > 0 && !source.startsWith('^') ? degree + 1 : degree;
}

/** Exponent of the text length in the matching cost; infinite if the cost may double with each character. */
function degreeOf(tree: Alternatives): number {
  return Math.max(0, ...tree.map(degreeOfSequence));
}

function degreeOfSequence(items: readonly PatternItem[]): number {
  let degree = 0;
  let before: PatternItem | undefined;
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

/** Number of paths through bounded repetitions: `(a?){30}` has a thousand million. */
function countPaths(tree: Alternatives): number {
  return tree.reduce((sum, items) => sum + items.reduce((ways, item) => ways * countItemPaths(item), 1), 0);
}

function countItemPaths({ group, min, max, isLong }: PatternItem): number {
  const inner = group ? countPaths(group) : 1;
  if (isLong) return inner;
  return (max - min + 1) * inner ** max;
}

/** Whether a text can be split between two repetitions in one way only. */
function isBoundary(one: PatternItem, between: readonly PatternItem[], other: PatternItem): boolean {
  const mandatory = between.filter((item) => item.min > 0);
  if (mandatory.length === 0) return between.length === 0 && disjoint(one.set, other.set);
  return (
    mandatory.some((item) => !item.group && disjoint(item.set, one.set)) ||
    disjoint(one.set, mandatory[0]?.set ?? other.set)
  );
}

/** Whether each iteration of a repeated group begins with a character that nothing else in it can match. */
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
