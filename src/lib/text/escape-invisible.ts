/**
 * Characters a terminal or log viewer interprets or hides: controls, line separators, lone surrogates, annotation marks, and all that
 * Unicode itself lets a font ignore (bidi marks, zero-width, filler and tag characters), assigned or not.
 */
export const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/** Writes invisible characters as `\uXXXX`, which prevents log injection and terminal escapes. */
export const escapeInvisible = (text: string): string => text.replace(INVISIBLE, toUnicodeEscapes);

const toUnicodeEscapes = (found: string): string => {
  let out = '';
  for (let at = 0; at < found.length; at++) out += `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return out;
};
