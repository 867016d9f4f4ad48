/** Kinds of characters `clean` removes. */
export type HostileKind = 'ansi' | 'control' | 'bidi' | 'invisible' | 'tag' | 'variation' | 'surrogate';

/** Code points checked by the `controls` level: C0 and C1 except tab and line feed, DEL, and lone surrogates. */
export const CONTROL_SUSPECTS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/gu;

/** Code points checked by the `full` level: those of `controls` and all invisible ones. */
export const ALL_SUSPECTS =
  // oxlint-disable-next-line no-misleading-character-class
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * Superset of `ALL_SUSPECTS` over code units, which includes any surrogate: text without a match is plain. Matching whole code
 * points costs ten times as much on text beyond Latin-1.
 */
export const ALL_UNITS =
  // oxlint-disable-next-line no-misleading-character-class
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff]/;

/** The same for the `controls` level. */
export const CONTROL_UNITS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/;

const within = (point: number, low: number, high: number): boolean => point >= low && point <= high;

/** Kind under which a removed code point is counted. */
export function hostileKind(point: number): HostileKind {
  if (point < 0xa0) return 'control';
  if (within(point, 0xd800, 0xdfff)) return 'surrogate';
  if (within(point, 0x202a, 0x202e) || within(point, 0x2066, 0x2069)) return 'bidi';
  if (point === 0x200e || point === 0x200f || point === 0x061c) return 'bidi';
  if (within(point, 0xfe00, 0xfe0f) || within(point, 0xe0100, 0xe01ef)) return 'variation';
  if (within(point, 0xe0000, 0xe007f)) return 'tag';
  return 'invisible';
}

/** Scripts whose letters join, so that a joiner or non-joiner between them is spelling. */
const JOINING_LETTER =
  /^(?=[\p{L}\p{M}])(?![\u17b4\u17b5\u180b-\u180f])[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Balinese}\p{Script=Javanese}\p{Script=Newa}\p{Script=Tirhuta}\p{Script=Meetei_Mayek}\p{Script=Sharada}\p{Script=Grantha}\u064b-\u065f]/u;
const EMOJI_JOINED = /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;
const PICTOGRAPH = /^\p{Extended_Pictographic}/u;
const KEYCAP_BASE = /^[0-9#*]/;
const EMOJI = /^\p{Emoji}/u;
const HAN = /^\p{Script=Han}/u;
/** Bases of the standardised sequences that use the first three selectors. */
const VARIANT_BASE = /^[\p{Script=Han}\p{Sm}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Manichaean}]/u;
const MONGOLIAN = /^[\p{Script=Mongolian}]/u;
const JAMO = /^[\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]/;

/** The three flags in use; any other tag sequence is ASCII smuggling. */
const SUBDIVISION_FLAG =
  /\u{1f3f4}(?:\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073}))\u{e007f}/uy;

/** The length in code units of the flag of England, Scotland or Wales at `at` (the only use of tag characters), or 0. */
export function flagLength(text: string, at: number): number {
  SUBDIVISION_FLAG.lastIndex = at;
  return SUBDIVISION_FLAG.test(text) ? SUBDIVISION_FLAG.lastIndex - at : 0;
}

/** Whether an invisible code point is part of correct spelling or an emoji: `before` is the character kept before it, `after` the text that follows. */
export function isOrthographic(point: number, before: string, after: string): boolean {
  // Between joining letters the joiner changes the shape of a word; two in a row are never spelling.
  if (point === 0x200d || point === 0x200c) {
    if (JOINING_LETTER.test(before) || (JOINING_LETTER.test(after) && before !== '\u200c' && before !== '\u200d'))
      return true;
    return point === 0x200d && EMOJI_JOINED.test(before) && PICTOGRAPH.test(after);
  }
  if (point === 0xfe0e || point === 0xfe0f) {
    return KEYCAP_BASE.test(before) ? after.startsWith('\u20e3') : EMOJI.test(before);
  }
  // Variation selectors after any other base can carry hidden bytes.
  if (within(point, 0xfe00, 0xfe02)) return VARIANT_BASE.test(before);
  if (within(point, 0xe0100, 0xe01ef)) return HAN.test(before);
  if (within(point, 0x180b, 0x180f))
    return MONGOLIAN.test(before) && !within(before.codePointAt(0) ?? 0, 0x180b, 0x180f);
  if (point === 0x115f || point === 0x1160) return JAMO.test(after) || (JAMO.test(before) && point === 0x1160);
  return false;
}
