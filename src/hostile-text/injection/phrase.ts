/** Line breaks, and the indentation after them, are there for the reader alone. */
const onOneLine = ({ raw }: TemplateStringsArray, parts: readonly string[]): string =>
  String.raw({ raw: raw.map((piece) => piece.replace(/\n\s*/g, '')) }, ...parts);

/** A piece of a pattern under a name of its own, to be put into others. */
export const part = (pieces: TemplateStringsArray, ...parts: readonly string[]): string => onOneLine(pieces, parts);

/** A pattern that may be written over several lines and hold parts; backslashes are those of a regular expression. */
export const phrase = (pieces: TemplateStringsArray, ...parts: readonly string[]): RegExp =>
  new RegExp(onOneLine(pieces, parts));

/** Literals written one after another, with a bar between them. */
export const literals = (pieces: TemplateStringsArray): readonly string[] => onOneLine(pieces, []).split('|');
