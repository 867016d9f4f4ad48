/** Predicate over a text. */
export type TextMatcher = (text: string) => boolean;

/** Compiles a pattern in which `*` matches any text and `?` one character; cost is bounded by pattern length times text length. */
export function glob(pattern: string): TextMatcher {
  if (pattern === '*') return () => true;
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  return (text) => matchesGlob(pattern, text);
}

/** Matches if any of the patterns does; an empty list matches everything. */
export function anyGlob(patterns: readonly string[]): TextMatcher {
  if (patterns.length === 0) return () => true;
  const tests = patterns.map(glob);
  return (text) => tests.some((test) => test(text));
}

// Backtracking only to the last star is enough, and avoids exponential time on patterns with many stars.
function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < text.length) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at;
      resume = index;
      at += 1;
    } else if (wanted === '?' || wanted === text[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      resume += 1;
      index = resume;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
