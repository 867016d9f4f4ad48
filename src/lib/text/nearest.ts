/** The known word closest to a misspelt one ("did you mean"); undefined if none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  // The distance is quadratic, and a long word is not a typo.
  if (word.length > 64) return undefined;
  // Case and separators are the most frequent difference: maxBytes, max_bytes, max-bytes.
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
  const wanted = plain(word);
  let best: string | undefined;
  // One edit in three letters; beyond that a suggestion is a guess.
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const away = distance(wanted, plain(candidate));
    if (away < least) {
      best = candidate;
      least = away;
    }
  }
  return best;
}

/** Damerau-Levenshtein distance: a swap of neighbours counts as one edit. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1));
      // Two neighbours swapped, the typo of fast typing.
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return above[b.length] ?? 0;
}
