import { toLatin } from '../../lib/confusables.js';
import { phrase } from './phrase.js';

/** A text as the rules read it, and the way back to where each place stood in the original. */
export interface Normalised {
  readonly text: string;
  /** Whether there are characters of Chinese, Japanese or Korean in it. */
  readonly isEastAsian: boolean;
  /** Whether something invisible was left out. */
  readonly hadHidden: boolean;
  /** The original index of a normalised one. */
  readonly origin: (index: number) => number;
}

const BEYOND_ASCII = /[^\x00-\x7f]/;
/**
 * Code units of characters that are dropped, or stand for another: accents, invisible ones, compatibility forms, look-alikes of
 * Latin; beyond the first plane the leading half.
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

/** What becomes of a code unit: one other always, that or a Latin letter by its neighbours, or more than a table can tell. */
const [PLAIN, MAY_PASS_FOR_LATIN, SPECIAL] = [1, 2, 3] as const;

/** The class of every code unit, and the one unit it is read as; nought until a unit is met, since most never are. */
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

/** Where texts are read from and written to: units in a row, which cost a tenth of characters asked for one by one. */
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
/** What is kept between texts; the room of a larger one is given back. */
const MAX_KEPT_UNITS = 262_144;

/** Lower case, no accents, nothing invisible, look-alikes of Latin letters inside Latin words written as Latin. */
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
    // A whole word of Cyrillic or Greek is a word; one such letter among Latin ones is a disguise.
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
    // One character may be written as several; a place among them must not point beyond the one they came from.
    return Math.min(index + (shifts[part] ?? 0), nextPart);
  };
  const normalised = Buffer.from(target.buffer, 0, 2 * end).toString('utf16le');
  if (target.length > MAX_KEPT_UNITS) [buffers.source, buffers.target] = [new Uint16Array(0), new Uint16Array(0)];
  return { text: normalised, isEastAsian, hadHidden, origin };
}

const identityIndex = (index: number): number => index;

const plainForms = new Map<string, string>();

/** The plain form of a character, remembered where it does not depend on its neighbours; there are a few thousand of these. */
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

/** Lower-casing a few letters changes the length, which would shift every finding behind them. */
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
