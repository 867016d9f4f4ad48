import { toLatin } from '../../confusables.js';

/** A text as the rules read it, and the way back to where each place stood in the original. */
export interface Normalised {
  readonly text: string;
  /** Whether something invisible was left out. */
  readonly hadHidden: boolean;
  /** The original index of a normalised one. */
  readonly origin: (index: number) => number;
}

const BEYOND_ASCII = /[^\x00-\x7f]/;
/** Code units of characters that are dropped, or stand for another: accents, invisible ones, compatibility forms, look-alikes of Latin; beyond the first plane the leading half. */
const CHANGING =
  // oxlint-disable-next-line no-misleading-character-class
  /[\u00a0\u00aa\u00ad\u00b2\u00b3\u00b9\u00ba\u00c0-\u024f\u0250-\u02af\u0300-\u036f\u0370-\u03ff\u0400-\u052f\u0531-\u0587\u061c\u115f\u1160\u13a0-\u13f4\u17b4\u17b5\u180b-\u180f\u1d00-\u1dbf\u1e00-\u1eff\u2000-\u200f\u2010-\u2015\u2018-\u201f\u2028-\u202f\u205f-\u206f\u2070-\u209c\u2100-\u218b\u2460-\u24ff\u3000\u3164\ufe00-\ufe0f\ufeff\uff00-\uffef\ufff9-\ufffb\ud82f\ud834\ud835\ud83c\udb40-\udb43]/;
// oxlint-disable-next-line no-misleading-character-class
const INVISIBLE = /^(?:[\p{M}\p{Cf}\u115f\u1160\u17b4\u17b5\u3164\uffa0]|\p{Variation_Selector})$/u;
const OTHER_ALPHABET = /[\u0370-\u052f]/;
const LATIN_WORD_CHARACTER = /[a-z]/i;

/** What becomes of a code unit: nothing, something that depends on it alone, or on its neighbours too. */
const [STAYS, CHANGES, MAY_PASS_FOR_LATIN] = [0, 1, 2] as const;

/** The class of every code unit, so that text of other scripts is read at the speed of a table; made when the first such text comes. */
let classOf: Uint8Array | undefined;
const classes = (): Uint8Array =>
  Uint8Array.from({ length: 0x10000 }, (_, unit) => {
    const character = String.fromCharCode(unit);
    if (!CHANGING.test(character)) return STAYS;
    return OTHER_ALPHABET.test(character) && !INVISIBLE.test(character) ? MAY_PASS_FOR_LATIN : CHANGES;
  });

const isLatin = (unit: number): boolean => (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90);

/** Lower case, no accents, nothing invisible, look-alikes of Latin letters inside Latin words written as Latin. */
export function normalise(text: string): Normalised {
  if (!BEYOND_ASCII.test(text)) return { text: text.toLowerCase(), hadHidden: false, origin: same };
  const known = (classOf ??= classes());
  const parts: string[] = [];
  const starts: number[] = [0];
  const shifts: number[] = [0];
  let length = 0;
  let done = 0;
  let latin = -3;
  let hadHidden = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      if (isLatin(unit)) latin = at;
      continue;
    }
    const kind = known[unit];
    if (kind === STAYS) continue;
    // A whole word of Cyrillic or Greek is a word; one such letter among Latin ones is a disguise.
    if (
      kind === MAY_PASS_FOR_LATIN &&
      at - latin > 2 &&
      !isLatin(text.charCodeAt(at + 1)) &&
      !isLatin(text.charCodeAt(at + 2))
    )
      continue;
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const next = at + character.length;
    const plain =
      kind === MAY_PASS_FOR_LATIN ? plainForm(character, text, at, next) : simple(character, text, at, next);
    at = next - 1;
    if (plain === character) continue;
    if (plain === '') hadHidden = true;
    parts.push(text.slice(done, next - character.length), plain);
    length += next - character.length - done + plain.length;
    done = next;
    if (plain.length !== character.length) {
      starts.push(length);
      shifts.push(next - length);
    }
  }
  parts.push(text.slice(done));
  const origin = (index: number): number => {
    const part = lastAtMost(starts, index);
    const nextPart = part + 1 < starts.length ? (starts[part + 1] ?? 0) + (shifts[part + 1] ?? 0) : text.length;
    // One character may be written as several; a place among them must not point beyond the one they came from.
    return Math.min(index + (shifts[part] ?? 0), nextPart);
  };
  return { text: sameLengthLowerCase(parts.join('')), hadHidden, origin };
}

const same = (index: number): number => index;

const forms = new Map<string, string>();

/** The plain form of a character, remembered where it does not depend on its neighbours; there are a few thousand of these. */
function simple(character: string, text: string, at: number, next: number): string {
  let known = forms.get(character);
  if (known === undefined) {
    known = plainForm(character, text, at, next);
    if (toLatin(character) === character) forms.set(character, known);
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
function sameLengthLowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? lower
    : [...text]
        .map((character) => (character.toLowerCase().length === character.length ? character.toLowerCase() : character))
        .join('');
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
