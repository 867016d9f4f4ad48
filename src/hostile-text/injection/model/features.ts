/** Receives the features of a text word by word. */
export interface FeatureSink {
  /**
   * Ends a word that occupies this range of the text: its features are the first `count` entries of `wordFeatures`, and `hash`
   * identifies the word.
   */
  endWord(start: number, end: number, hash: number, count: number): void;
}

/** Number of hash buckets, one weight each. */
export const BUCKET_BITS = 18;
export const BUCKETS = 1 << BUCKET_BITS;
const SHIFT = 32 - BUCKET_BITS;

/** Longer words are cut: encoded data must not fill a window with its parts. */
const MAX_WORD = 20;

const [GAP, LETTER, DIGIT, SIGN, IDEOGRAPH] = [0, 1, 2, 3, 4] as const;
/** Signs that count as words of their own: they open tags, headings, quotations and comments. */
const SIGNS = '<>[]{}#*=!:/@|`"?$';
const ASCII = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[a-z]/i.test(character)) return LETTER;
  if (/\d/.test(character)) return DIGIT;
  return SIGNS.includes(character) ? SIGN : GAP;
});

function classOf(unit: number): number {
  if (unit < 128) return ASCII[unit] ?? GAP;
  if (unit < 0xc0 || (unit >= 0x2000 && unit < 0x2c00) || (unit >= 0xff00 && unit < 0xff10)) return GAP;
  // Chinese and Japanese write no spaces: every character is a word, and pairs and triples of them become words.
  if (unit >= 0x3000 && unit < 0xa000) return unit < 0x3040 ? GAP : IDEOGRAPH;
  return LETTER;
}

const mix = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
const finish = (hash: number): number => {
  const spread = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return Math.imul(spread ^ (spread >>> 13), 0xc2b2ae35) >>> SHIFT;
};
const [ONE, TWO, THREE, PART] = [0x811c9dc5, 0x1b873593, 0xcc9e2d51, 0x2545f491] as const;
const DIGITS = 48;
const EDGE = 32;

/** Hash of a word of letters, as passed to `endWord`. */
export function hashWord(word: string): number {
  let hash: number = ONE;
  for (let at = 0; at < Math.min(word.length, MAX_WORD); at++) hash = mix(hash, word.charCodeAt(at));
  return hash;
}

/** Units of the current word with an edge on both sides. */
const units = new Uint16Array(MAX_WORD + 2);
/** Buckets of the current word, overwritten by the next one. */
export const wordFeatures = new Uint32Array(4 * MAX_WORD + 8);

/**
 * Visits the hashed features of normalised text: words, pairs and triples of words, and parts of three to five characters of
 * each word. Numbers are all alike. Linear in the length of the text.
 */
export function visitFeatures(text: string, sink: FeatureSink): void {
  let before = 0;
  let second = 0;
  let at = 0;
  const { length } = text;
  units[0] = EDGE;
  while (at < length) {
    const start = at;
    const first = text.charCodeAt(at);
    const kind = first < 128 ? (ASCII[first] ?? GAP) : classOf(first);
    at++;
    if (kind === GAP) continue;
    let features = 0;
    let hash: number = ONE;
    if (kind === LETTER) {
      let count = 1;
      hash = mix(hash, first);
      units[count++] = first;
      for (; at < length; at++) {
        const unit = text.charCodeAt(at);
        if ((unit < 128 ? (ASCII[unit] ?? GAP) : classOf(unit)) !== LETTER) break;
        if (count > MAX_WORD) continue;
        hash = mix(hash, unit);
        units[count++] = unit;
      }
      features = addParts(count);
    } else if (kind === DIGIT) {
      hash = mix(hash, DIGITS);
      while (at < length && classOf(text.charCodeAt(at)) === DIGIT) at++;
    } else {
      hash = mix(hash, first);
      // A run of one sign is one word.
      if (kind === SIGN) while (at < length && text.charCodeAt(at) === first) at++;
    }
    wordFeatures[features++] = finish(hash);
    if (before !== 0) wordFeatures[features++] = finish(mix(mix(TWO, before), hash));
    if (second !== 0) wordFeatures[features++] = finish(mix(mix(mix(THREE, second), before), hash));
    second = before;
    before = hash;
    sink.endWord(start, at, hash, features);
  }
}

/** Writes the parts of the word in `units`, edges included, and returns their number. */
function addParts(count: number): number {
  units[count] = EDGE;
  let features = 0;
  let one = EDGE;
  let two = units[1] ?? 0;
  // Each step ends at one character: the parts of three, four and five characters that end there.
  let three = 0;
  let four = 0;
  for (let last = 2; last <= count; last++) {
    const unit = units[last] ?? 0;
    const oldThree = three;
    const oldFour = four;
    three = mix(mix(mix(PART, one), two), unit);
    wordFeatures[features++] = finish(three);
    if (last >= 3) {
      four = mix(oldThree, unit);
      wordFeatures[features++] = finish(four);
    }
    if (last >= 4) wordFeatures[features++] = finish(mix(oldFour, unit));
    one = two;
    two = unit;
  }
  return features;
}
