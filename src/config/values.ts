/** A parsed value, or the expected format; `remark` explains a conversion. */
type ParsedText =
  | { readonly ok: true; readonly value: unknown; readonly remark?: string }
  | { readonly ok: false; readonly expected: string };

/** Parses one setting from the environment or the command line. */
export type TextParser = (text: string) => ParsedText;

/** A whole number, optionally with bounds that reject instead of clamp. */
export const wholeNumber =
  (least?: number, most?: number): TextParser =>
  (text) => {
    // The pattern rejects `0x10`, `1e3` and empty text, which `Number` would accept.
    const value = /^[+-]?\d{1,20}$/.test(text.trim()) ? Number(text) : Number.NaN;
    const fits = Number.isSafeInteger(value) && value >= (least ?? value) && value <= (most ?? value);
    return fits
      ? { ok: true, value }
      : { ok: false, expected: least === undefined ? 'a whole number' : `a whole number from ${least} to ${most}` };
  };

/** A number, with or without a fraction. */
export const decimalNumber: TextParser = (text) => {
  const value = /^[+-]?\d{1,20}(\.\d{1,20})?$/.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { ok: true, value } : { ok: false, expected: 'a number' };
};

/** A boolean in any of the usual spellings. */
export const booleanWord: TextParser = (text) => {
  const word = text.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return { ok: true, value: true };
  if (['false', '0', 'no', 'off'].includes(word)) return { ok: true, value: false };
  return { ok: false, expected: 'true or false' };
};

/** A comma-separated list; surrounding blanks and empty items are dropped. */
export const commaList: TextParser = (text) => ({
  ok: true,
  value: text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
});

/** Any text that is not blank. */
export const nonBlankText: TextParser = (text) =>
  text.trim() === '' ? { ok: false, expected: 'a non-blank text' } : { ok: true, value: text.trim() };

/** One of several words, case-insensitive; `also` maps further spellings. */
export const oneOfWords =
  (options: readonly string[], also: Readonly<Record<string, string>> = {}): TextParser =>
  (text) => {
    const word = text.trim().toLowerCase();
    // Own keys only: the word `constructor` must not match.
    const value = Object.hasOwn(also, word) ? also[word] : word;
    return value !== undefined && options.includes(value)
      ? { ok: true, value }
      : { ok: false, expected: `one of ${options.join(', ')}` };
  };

/** The log format; a Python format string, as in older setups, means text. */
export const logFormat: TextParser = (text) =>
  text.includes('%(')
    ? { ok: true, value: 'text', remark: 'a format string is read as "text"; write text or json' }
    : oneOfWords(['json', 'text'])(text);
