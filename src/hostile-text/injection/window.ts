import { phrase } from './phrase.js';

/** Text around a cue in which patterns are matched. */
export interface Window {
  /** Range of a match in the whole text, also of one that appears only after wrapped lines are joined. */
  readonly find: (pattern: RegExp, leads?: number) => { readonly start: number; readonly end: number } | undefined;
}

/**
 * Soft breaks inside a sentence: repeated blanks, a line break with the prefix of a comment or a quoted mail, or an escaped line
 * break of JSON.
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

/** Fast pre-check: it costs a hundredth of the pattern, and most windows contain no soft break. */
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

/** Returns the window around a cue; wrapped lines are joined lazily and once. */
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
      // Line wrapping must not hide an instruction.
      const late =
        leads === undefined ? pattern.exec(unwrapped) : firstAt(pattern, unwrapped, joinedIndex(raw, at - from), leads);
      if (!late) return undefined;
      return { start: from + originOf(raw, late.index), end: from + originOf(raw, late.index + late[0].length) };
    },
  };
}

const sticky = new Map<RegExp, RegExp>();

/** First match that begins at an index or up to `leads` characters before it (sticky, a tenth of the cost of a search). */
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

/** Maps an index of the joined text back: each soft break became one character. */
function originOf(raw: string, index: number): number {
  let at = index;
  for (const wrap of raw.matchAll(WRAP)) {
    if (wrap.index >= at) break;
    at += wrap[0].length - 1;
  }
  return at;
}

/** Maps an index of the raw window to the joined text. */
function joinedIndex(raw: string, index: number): number {
  let at = index;
  for (const wrap of raw.matchAll(WRAP)) {
    if (wrap.index >= index) break;
    at -= wrap[0].length - 1;
  }
  return at;
}
