import { toLatin } from '../../lib/text/confusables.js';
import { phrase } from './phrase.js';

/** Normalised text for rule matching, with a mapping from its indexes back to the original. */
export interface Normalised {
  readonly text: string;
  /** Whether it contains Chinese, Japanese or Korean characters. */
  readonly isEastAsian: boolean;
  /** Whether invisible characters were removed. */
  readonly hadHidden: boolean;
  /** Maps an index of the normalised text to the original. */
  readonly origin: (index: number) => number;
}

const BEYOND_ASCII = /[^\x00-\x7f]/;
/**
 * Code units that normalisation drops or replaces: accents, invisible characters, compatibility forms (NFKD), homoglyphs of
 * Latin; for astral characters the leading surrogate.
 */
const CHANGING = phrase`[
  \u00a0\u00aa\u00ad\u00b2\u00b3\u00b9\u00ba\u00c0-\u024f\u0250-\u02af\u0300-\u036f\u0370-\u03ff\u0400-\u052f
  \u0531-\u0587\u061c\u115f\u1160\u13a0-\u13f4\u17b4\u17b5\u180b-\u180f\u1d00-\u1dbf\u1e00-\u1eff\u2000-\u200f
  \u2010-\u2015\u2018-\u201f\u2028-\u202f\u205f-\u206f\u2070-\u209c\u2100-\u218b\u2460-\u24ff\u3000\u3164
  \ufe00-\ufe0f\ufeff\uff00-\uffef\ufff9-\ufffb\ud82f\ud834\ud835\ud83c\udb40-\udb43
]`;
// oxlint-disable-next-line no-misleading-character-class
const INVISIBLE = /^(?:[\p{M}\p{Cf}\u115f\u1160\u17b4\u17b5\u3164\uffa0]|\p{Variation_Selector})$/u;
const OTHER_ALPHABET = /[\u0370-\u052f]/;
const LATIN_WORD_CHARACTER = /[a-z]/i;

/** Replacement of a code unit: always the same unit, a Latin letter depending on its neighbours, or a computed sequence. */
const [PLAIN, MAY_PASS_FOR_LATIN, SPECIAL] = [1, 2, 3] as const;

/** Class and replacement of every code unit; 0 until first use (lazy), since most units never occur. */
const classOf = new Uint8Array(0x10000);
const plainOf = new Uint16Array(0x10000);

function classifyUnit(unit: number): number {
  const character = String.fromCharCode(unit);
  const isChanging = CHANGING.test(character);
  const mayPass = isChanging && OTHER_ALPHABET.test(character) && !INVISIBLE.test(character);
  const plain = isChanging && !mayPass ? cachedPlainForm(character, '', 0, 1) : character;
  const isOne = plain.length === 1 && (mayPass || toLatin(character) === character) && !isSurrogate(unit);
  plainOf[unit] = lower(isOne ? plain : character).charCodeAt(0);
  return (classOf[unit] = mayPass ? MAY_PASS_FOR_LATIN : isChanging && !isOne ? SPECIAL : PLAIN);
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
const isLatin = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);

/** Reused UTF-16 buffers: reading typed arrays costs a tenth of `charCodeAt` per character. */
const buffers = { source: new Uint16Array(0), target: new Uint16Array(0) };
const SPARE = 64;

function growBuffers(length: number): void {
  if (buffers.target.length >= length + SPARE) return;
  const units = Math.max(16_384, length + (length >> 3) + 2 * SPARE);
  buffers.source = new Uint16Array(units);
  const grown = new Uint16Array(units);
  grown.set(buffers.target);
  buffers.target = grown;
}
/** Largest buffer kept between texts; a larger one is released. */
const MAX_KEPT_UNITS = 262_144;

/** Lower-cases, strips accents and invisible characters, and replaces homoglyphs inside Latin words. */
export function normalise(text: string): Normalised {
  if (!BEYOND_ASCII.test(text))
    return { text: text.toLowerCase(), isEastAsian: false, hadHidden: false, origin: identityIndex };
  growBuffers(text.length);
  const source = buffers.source;
  let target = buffers.target;
  const length = text.length;
  Buffer.from(source.buffer).write(text, 'utf16le');
  source[length] = source[length + 1] = 0;
  const starts: number[] = [0];
  const shifts: number[] = [0];
  let end = 0;
  let latin = -3;
  let isEastAsian = false;
  let hadHidden = false;
  for (let at = 0; at < length; at++) {
    const unit = source[at] ?? 0;
    if (unit < 0x80) {
      if (isLatin(unit)) latin = at;
      target[end++] = unit >= 65 && unit <= 90 ? unit + 32 : unit;
      continue;
    }
    const kind = classOf[unit] || classifyUnit(unit);
    if (unit >= 0x3000) isEastAsian = true;
    // A whole Cyrillic or Greek word is legitimate; a single such letter among Latin ones is a homoglyph attack.
    if (
      kind === PLAIN ||
      (kind === MAY_PASS_FOR_LATIN && at - latin > 2 && !isLatin(source[at + 1] ?? 0) && !isLatin(source[at + 2] ?? 0))
    ) {
      target[end++] = plainOf[unit] ?? unit;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const next = at + character.length;
    const plain =
      kind === MAY_PASS_FOR_LATIN ? plainForm(character, text, at, next) : cachedPlainForm(character, text, at, next);
    at = next - 1;
    if (plain === '') hadHidden = true;
    if (end + plain.length + (length - next) > target.length) {
      growBuffers(2 * target.length);
      target = buffers.target;
    }
    for (const written of lower(plain).split('')) target[end++] = written.charCodeAt(0);
    if (plain.length !== character.length) {
      starts.push(end);
      shifts.push(next - end);
    }
  }
  const origin = (index: number): number => {
    const part = lastAtMost(starts, index);
    const nextPart = part + 1 < starts.length ? (starts[part + 1] ?? 0) + (shifts[part + 1] ?? 0) : text.length;
    // One character may expand to several; an index inside the expansion must not map past its origin.
    return Math.min(index + (shifts[part] ?? 0), nextPart);
  };
  const normalised = Buffer.from(target.buffer, 0, 2 * end).toString('utf16le');
  if (target.length > MAX_KEPT_UNITS) [buffers.source, buffers.target] = [new Uint16Array(0), new Uint16Array(0)];
  return { text: normalised, isEastAsian, hadHidden, origin };
}

const identityIndex = (index: number): number => index;

const plainForms = new Map<string, string>();

/** Plain form of a character, cached if it does not depend on its neighbours (a few thousand entries at most). */
function cachedPlainForm(character: string, text: string, at: number, next: number): string {
  let known = plainForms.get(character);
  if (known === undefined) {
    known = plainForm(character, text, at, next);
    if (toLatin(character) === character) plainForms.set(character, known);
  }
  return known;
}

function plainForm(character: string, text: string, at: number, next: number): string {
  if (INVISIBLE.test(character)) return '';
  if (!OTHER_ALPHABET.test(character)) {
    const compatible = character.normalize('NFKD').replace(/\p{M}/gu, '');
    if (compatible !== character) return punctuation(compatible);
  }
  const neighbours = text.slice(Math.max(0, at - 2), at) + text.slice(next, next + 2);
  return punctuation(LATIN_WORD_CHARACTER.test(neighbours) ? toLatin(character) : character);
}

const punctuation = (character: string): string =>
  character
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-')
    .replace(/[\u2028\u2029]/g, '\n');

/** Keeps the original where lower-casing changes the length: that would shift the offset of every later finding. */
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text;
}

function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
