/** A sentence without a space before it ("resultsIgnore the …", "19.99Disregard all …"), where `\b` of a rule does not match. */
// One digit before a word may replace its first letter (leetspeak, "1gnore"); two are a number.
const GLUED = /(?<=(?<![A-Za-z])[a-z]{3,20}|\d\d)(?=[A-Z][a-z]{2,15} [a-z])|(?<=\d\d)(?=[a-z]{4,15} [a-z])/;
const GLUED_HERE = new RegExp(GLUED, 'y');
/** Superset of the places, without lookbehind: a search for it takes a sixth of the time. */
const CANDIDATE = /[A-Z0-9][a-z]{2,15} [a-z]/g;
/** Bounds the work on texts that alternate between cases. */
const MAX_PLACES = 10_000;

/** A text with separated words, and a mapping from its indexes back to the original. */
interface SeparatedText {
  readonly text: string;
  readonly origin: (index: number) => number;
}

/** Inserts a space before words that follow other text without one; undefined if there are none. */
export function separateGluedWords(text: string): SeparatedText | undefined {
  const places = gluedPlaces(text);
  if (places.length === 0) return undefined;
  const parts = places.map((place, index) => text.slice(places[index - 1] ?? 0, place));
  return {
    text: [...parts, text.slice(places.at(-1))].join(' '),
    origin: (index) => index - countBefore(places, index),
  };
}

function gluedPlaces(text: string): readonly number[] {
  const places: number[] = [];
  CANDIDATE.lastIndex = 0;
  for (let match = CANDIDATE.exec(text); match && places.length < MAX_PLACES; match = CANDIDATE.exec(text)) {
    GLUED_HERE.lastIndex = isDigit(text.charCodeAt(match.index)) ? match.index + 1 : match.index;
    if (GLUED_HERE.test(text)) places.push(GLUED_HERE.lastIndex);
  }
  return places;
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** Number of inserted spaces before an index of the separated text. */
function countBefore(places: readonly number[], index: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // The n-th inserted space is shifted by n.
    if ((places[middle] ?? 0) + middle < index) low = middle + 1;
    else high = middle;
  }
  return low;
}
