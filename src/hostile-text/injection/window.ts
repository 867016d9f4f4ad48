import { phrase } from './phrase.js';

/** A stretch of text around a cue, and where a pattern matches in it. */
export interface Window {
  /** The place of a match in the whole text, also of one that only shows once broken lines are joined. */
  readonly find: (pattern: RegExp, leads?: number) => { readonly start: number; readonly end: number } | undefined;
}

/**
 * What parts two words without parting the sentence: several blanks, the end of a line with what begins the next one of a comment
 * or a quoted mail, or a line break as JSON writes it.
 */
const WRAP = new RegExp(
  phrase`
    [ \t](?<=[a-z,'].)[ \t]{1,7}(?=[a-z'(])
    |[ \t](?<=[a-z,'].)[ \t]{0,2}(?:\r?\n|\\(?:r\\)?n)[ \t]{0,8}(?:[#*>|;%]|\/\/|--)?[ \t]{0,4}(?=[a-z'(])
    |(?:\r?\n(?<=[a-z,'][ \t]{0,3}\r?\n)|\\(?:r\\)?n(?<=[a-z,'][ \t]{0,3}\\(?:r\\)?n))
      [ \t]{0,8}(?:[#*>|;%]|\/\/|--)?[ \t]{0,4}(?=[a-z'(])
    |\\[nrt](?=[a-z'"<\[(#*-])
  `,
  'g',
);
const joinWrap = (_wrap: string, at: number, text: string): string =>
  /[a-z,' ]/.test(text.charAt(at - 1)) ? ' ' : '\n';

const BLANK = 32;
const endsWord = (unit: number): boolean => (unit >= 97 && unit <= 122) || unit === 44 || unit === 39;

/** Asked first: it costs a hundredth of the pattern, and most windows hold no such place. */
function isBroken(text: string): boolean {
  if (text.includes('\\') || text.includes('\t')) return true;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) <= BLANK) before--;
    if (endsWord(text.charCodeAt(before))) return true;
  }
  for (let at = text.indexOf('  '); at >= 0; at = text.indexOf('  ', at + 2)) {
    if (endsWord(text.charCodeAt(at - 1))) return true;
  }
  return false;
}

/** The window of a text around a cue. Its broken lines are joined when a pattern asks first, and once for all of them. */
export function windowOf(text: string, at: number, reach: number): Window {
  const from = Math.max(0, at - reach);
  const raw = text.slice(from, at + reach);
  let unwrapped: string | undefined;
  return {
    find: (pattern, leads) => {
      const found = leads === undefined ? pattern.exec(raw) : firstAt(pattern, raw, at - from, leads);
      if (found) return { start: from + found.index, end: from + found.index + found[0].length };
      unwrapped ??= isBroken(raw) ? raw.replace(WRAP, joinWrap) : raw;
      if (unwrapped === raw) return undefined;
      // An order is one however its lines are broken.
      const late =
        leads === undefined ? pattern.exec(unwrapped) : firstAt(pattern, unwrapped, joinedIndex(raw, at - from), leads);
      if (!late) return undefined;
      return { start: from + originOf(raw, late.index), end: from + originOf(raw, late.index + late[0].length) };
    },
  };
}

const sticky = new Map<RegExp, RegExp>();

/** The first match that begins at a place or at most so many characters before it: a tenth of the cost of looking everywhere. */
function firstAt(pattern: RegExp, text: string, at: number, leads: number): RegExpExecArray | null {
  let there = sticky.get(pattern);
  if (!there) sticky.set(pattern, (there = new RegExp(pattern, 'y')));
  for (let start = Math.max(0, at - leads); start <= at; start++) {
    there.lastIndex = start;
    const found = there.exec(text);
    if (found) return found;
  }
  return null;
}

/** Where a place among joined lines stands in the lines as they were: each wrap became one character. */
function originOf(raw: string, index: number): number {
  let at = index;
  for (const wrap of raw.matchAll(WRAP)) {
    if (wrap.index >= at) break;
    at += wrap[0].length - 1;
  }
  return at;
}

/** Where a place stands once lines are joined. */
function joinedIndex(raw: string, index: number): number {
  let at = index;
  for (const wrap of raw.matchAll(WRAP)) {
    if (wrap.index >= index) break;
    at -= wrap[0].length - 1;
  }
  return at;
}
