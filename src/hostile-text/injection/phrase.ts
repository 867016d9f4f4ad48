/** Removes line breaks and indentation, which exist for readability only. */
const onOneLine = ({ raw }: TemplateStringsArray, parts: readonly string[]): string =>
  String.raw({ raw: raw.map((piece) => piece.replace(/\n\s*/g, '')) }, ...parts);

/** A named fragment of a pattern, for interpolation into others. */
export const part = (pieces: TemplateStringsArray, ...parts: readonly string[]): string => onOneLine(pieces, parts);

/** A regular expression written over several lines, with interpolated fragments and raw backslashes. */
export const phrase = (pieces: TemplateStringsArray, ...parts: readonly string[]): RegExp =>
  new RegExp(onOneLine(pieces, parts));

/** A list of literals separated by bars. */
export const literals = (pieces: TemplateStringsArray): readonly string[] => onOneLine(pieces, []).split('|');
