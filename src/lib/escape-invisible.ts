/** Characters a terminal or log viewer interprets or hides: C0 and C1 controls, bidi marks, zero-width and tag characters, line separators. */
const INVISIBLE =
  // oxlint-disable-next-line no-misleading-character-class
  /[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\udb40[\udc00-\udfff]/g;

/** Writes invisible characters as `\uXXXX`, which prevents log injection and terminal escapes. */
export const escapeInvisible = (text: string): string => text.replace(INVISIBLE, toUnicodeEscapes);

const toUnicodeEscapes = (found: string): string => {
  let out = '';
  for (let at = 0; at < found.length; at++) out += `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return out;
};
