import { toLatin } from './confusables.js';

const MARKS_AND_INVISIBLE = /[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]/gu;
const SEPARATORS = /[\s_.\-/:]+/gu;

/** Skeleton of a name as in Unicode TR39: names with equal skeletons are visually confusable. */
export function skeleton(name: string): string {
  return toLatin(name.normalize('NFKD').replace(MARKS_AND_INVISIBLE, ''))
    .replace(/[I1|!]/g, 'l')
    .toLowerCase()
    .replace(SEPARATORS, '')
    .replace(/0/g, 'o')
    .replace(/5/g, 's')
    .replace(/rn/g, 'm')
    .replace(/vv/g, 'w');
}

/**
 * Damerau-Levenshtein distance (insertions, deletions, substitutions, transpositions), or `max + 1` if it exceeds `max`. Only a
 * band of width `max` is computed, so long hostile names cost no more than their length.
 */
export function editDistance(a: string, b: string, max: number): number {
  const over = max + 1;
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > max) return over;
  let beforeLast = new Int32Array(b.length + 1);
  let last = Int32Array.from({ length: b.length + 1 }, (_, j) => Math.min(j, over));
  let row = new Int32Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - max);
    const to = Math.min(b.length, i + max);
    row.fill(over, Math.max(0, from - 2), Math.min(b.length, to + 1) + 1);
    row[0] = Math.min(i, over);
    let best = row[0];
    for (let j = from; j <= to; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min((last[j - 1] ?? over) + (same ? 0 : 1), (last[j] ?? over) + 1, (row[j - 1] ?? over) + 1);
      if (
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1)
      ) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? over) + 1);
      }
      row[j] = Math.min(cost, over);
      best = Math.min(best, cost);
    }
    // A transposition reaches back two rows, so only a row over the limit after another such row ends the search early.
    if (best > max && i > 1 && Math.min(...last.subarray(Math.max(0, from - 1), to + 1)) > max) return over;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length] ?? over, over);
}

/** A name with its precomputed skeleton, for comparison with many others. */
export interface NameSkeleton {
  readonly name: string;
  readonly skeleton: string;
}

/** A name together with its skeleton. */
export const withSkeleton = (name: string): NameSkeleton => ({ name, skeleton: skeleton(name) });

/** How one name imitates another: confusable, or a typo away; undefined if they are equal or clearly different. */
export const compareNames = (name: string, known: string): 'confusable' | 'near' | undefined =>
  name === known ? undefined : compareSkeletons(withSkeleton(name), withSkeleton(known));

/** The same for precomputed skeletons. */
export function compareSkeletons(name: NameSkeleton, known: NameSkeleton): 'confusable' | 'near' | undefined {
  if (name.name === known.name) return undefined;
  const [a, b] = [name.skeleton, known.skeleton];
  if (a === b) return 'confusable';
  // Short names legitimately differ by one letter (`get`, `set`), and so do plurals and numbered versions.
  const max = b.length >= 12 ? 2 : b.length >= 6 ? 1 : 0;
  if (max === 0 || Math.abs(a.length - b.length) > max || hasSameStem(name.name, known.name)) return undefined;
  return editDistance(a, b, max) <= max ? 'near' : undefined;
}

const hasSameStem = (a: string, b: string): boolean => stem(a) === stem(b);
const stem = (name: string): string => name.toLowerCase().replace(/(?:e?s|[-_]?v?\d{1,9})$/, '');
