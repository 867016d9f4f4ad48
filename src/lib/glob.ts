/** Says whether a text fits. */
export type TextTest = (text: string) => boolean;

/** A pattern in which `*` stands for any text and `?` for one character; its cost is bounded by pattern times text, whatever both hold. */
export function glob(pattern: string): TextTest {
  if (pattern === '*') return () => true;
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  return (text) => fits(pattern, text);
}

/** Whether any of the patterns fits; no patterns fit everything. */
export function anyGlob(patterns: readonly string[]): TextTest {
  if (patterns.length === 0) return () => true;
  const tests = patterns.map(glob);
  return (text) => tests.some((test) => test(text));
}

// Going back only to the last star is enough, and is what keeps a pattern of many stars from taking exponential time.
function fits(pattern: string, text: string): boolean {
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
