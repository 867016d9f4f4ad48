const googleSections = new Set(
  (
    'args arguments params parameters raises exceptions returns yields receives examples attributes functions methods classes ' +
    'modules warns warnings'
  ).split(' '),
);
const heading = /^(\w[\s\w-]*):(?:\s+\S.*)?\s*$/;
const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';
const isIndented = (line: string | undefined): boolean => !isBlank(line) && (line?.startsWith(' ') ?? false);

/**
 * The part of a docstring that FastMCP 3 sends: the text before its first section (Google, NumPy or Sphinx style), or all
 * of it if there is no section.
 */
export function summaryOf(docstring: string): string {
  const lines = docstring.split('\n');
  const at = [googleSection(lines), numpySection(lines), sphinxField(lines)].find((each) => each !== undefined);
  return at === undefined ? docstring : lines.slice(0, at).join('\n').trimEnd();
}

/** Finds a title with a colon, a blank line above and an indented line below; any title counts, since the parser treats unknown ones as admonitions. */
function googleSection(lines: readonly string[]): number | undefined {
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    else if (
      !isCode &&
      heading.test(line) &&
      isIndented(lines[index + 1]) &&
      (index === 0 || isBlank(lines[index - 1]))
    )
      return index;
  }
  return undefined;
}

/** Finds a known title underlined with dashes. */
function numpySection(lines: readonly string[]): number | undefined {
  const found = lines.findIndex(
    (line, index) => googleSections.has(line.trim().toLowerCase()) && /^-{3,}\s*$/.test(lines[index + 1] ?? ''),
  );
  return found < 0 ? undefined : found;
}

/** Finds a field such as `:param name: …`. */
function sphinxField(lines: readonly string[]): number | undefined {
  const field =
    /^:(?:param|parameter|arg|argument|key|keyword|type|var|ivar|cvar|vartype|raises?|except|exception|returns?|rtype)\b[^:]*:/;
  const found = lines.findIndex((line) => field.test(line));
  return found < 0 ? undefined : found;
}
