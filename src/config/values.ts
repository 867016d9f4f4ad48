/** A value read from text, or what was expected instead; a remark says what was made of it. */
export type Read =
  | { readonly ok: true; readonly value: unknown; readonly remark?: string }
  | { readonly ok: false; readonly expected: string };

/** Reads one setting from the environment or the command line. */
export type ReadText = (text: string) => Read;

/** A whole number, optionally within bounds that are refused rather than clamped. */
export const whole =
  (least?: number, most?: number): ReadText =>
  (text) => {
    const value = /^[+-]?\d{1,20}$/.test(text.trim()) ? Number(text) : Number.NaN;
    const fits = Number.isSafeInteger(value) && value >= (least ?? value) && value <= (most ?? value);
    return fits
      ? { ok: true, value }
      : { ok: false, expected: least === undefined ? 'a whole number' : `a whole number from ${least} to ${most}` };
  };

/** A number, with or without a fraction. */
export const number: ReadText = (text) => {
  const value = /^[+-]?\d{1,20}(\.\d{1,20})?$/.test(text.trim()) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? { ok: true, value } : { ok: false, expected: 'a number' };
};

/** Yes or no in any of the usual spellings. */
export const flag: ReadText = (text) => {
  const word = text.trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return { ok: true, value: true };
  if (['false', '0', 'no', 'off'].includes(word)) return { ok: true, value: false };
  return { ok: false, expected: 'true or false' };
};

/** A list of words parted by commas; blanks around them and empty ones are dropped. */
export const csv: ReadText = (text) => ({
  ok: true,
  value: text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
});

/** Any text that is not blank. */
export const words: ReadText = (text) =>
  text.trim() === '' ? { ok: false, expected: 'a text' } : { ok: true, value: text.trim() };

/** One of some words, whatever their case; `also` maps further spellings. */
export const choice =
  (options: readonly string[], also: Readonly<Record<string, string>> = {}): ReadText =>
  (text) => {
    const word = text.trim().toLowerCase();
    const value = Object.hasOwn(also, word) ? also[word] : word;
    return value !== undefined && options.includes(value)
      ? { ok: true, value }
      : { ok: false, expected: `one of ${options.join(', ')}` };
  };

/** The log format; a Python format string, which older set-ups carry, means text. */
export const logFormat: ReadText = (text) =>
  text.includes('%(')
    ? { ok: true, value: 'text', remark: 'a format string is read as "text"; write text or json' }
    : choice(['json', 'text'])(text);
