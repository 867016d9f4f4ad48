/** Words split by POSIX quoting, or why the text is malformed. */
type SplitResult =
  { readonly ok: true; readonly words: readonly string[] } | { readonly ok: false; readonly reason: string };

// Bound of an argument list that a caller writes.
const maxWords = 128;

/** Splits text by POSIX shell quoting; no expansion of variables, globs, comments or commands (shell injection). */
export function splitWords(text: string): SplitResult {
  const words: string[] = [];
  let word: string | undefined;
  let quote: "'" | '"' | undefined;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    // Everything is literal inside single quotes, the backslash included.
    if (quote === "'" && character !== "'") word += character;
    else if (character === '\\') {
      index += 1;
      if (index >= text.length) return { ok: false, reason: 'ends in a lone backslash' };
      const next = text.charAt(index);
      // Inside double quotes a backslash is literal unless it precedes one of these characters.
      word = (word ?? '') + (quote === '"' && !'"\\$`\n'.includes(next) ? `\\${next}` : next);
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      // An empty pair of quotes is an empty argument, not none.
      word ??= '';
    } else if (quote === undefined && (character === ' ' || character === '\t')) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) return { ok: false, reason: 'has an unbalanced quote' };
  if (word !== undefined) words.push(word);
  return words.length > maxWords ? { ok: false, reason: `has more than ${maxWords} words` } : { ok: true, words };
}
