import { stem, stopWords, verbClass } from './words.js';

/** A text of a document with its weight. */
interface SearchField {
  readonly text: string;
  readonly weight: number;
}

/** Something to find: its exact names come before every ranking. */
interface SearchDocument<T> {
  readonly item: T;
  readonly names: readonly string[];
  readonly fields: readonly SearchField[];
}

/** Returns matches, best first; all visible items for an empty query. */
export type RankedSearch<T> = (query: string, sees?: (item: T) => boolean) => readonly T[];

// Bounds of a query, which a model writes.
const maxQueryChars = 1_000;
const maxQueryWords = 24;
/** Saturation of repeated words, and how much long fields are discounted: the usual values of BM25. */
const k1 = 1.2;
const b = 0.6;
/** Part of the best score below which matches are left out: one common word of many is no match. */
const leastShare = 0.12;

interface IndexedDocument<T> {
  readonly item: T;
  readonly names: readonly string[];
  /** Weighted frequency of each term over all fields. */
  readonly terms: ReadonlyMap<string, number>;
}

/** Splits text into words, including identifiers such as `getPetById2`. */
const splitWords = (text: string): readonly string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{L})(\p{N})/gu, '$1 $2')
    .replaceAll(/(\p{N})(\p{L})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

const toTerms = (text: string): readonly string[] =>
  splitWords(text)
    .filter((word) => !stopWords.has(word))
    .map((word) => verbClass(word) ?? stem(word));

const plainName = (text: string): string => splitWords(text).join(' ');

/** Ranks documents by BM25F: term frequencies of all fields, weighted and length-normalised, before saturation. */
export function rankedSearch<T>(documents: readonly SearchDocument<T>[]): RankedSearch<T> {
  const split = documents.map(({ fields }) => fields.map(({ text, weight }) => ({ weight, terms: toTerms(text) })));
  const averages: number[] = [];
  for (const fields of split)
    for (const [index, { terms }] of fields.entries()) averages[index] = (averages[index] ?? 0) + terms.length;
  const frequency = new Map<string, number>();
  const indexed = documents.map(({ item, names }, at): IndexedDocument<T> => {
    const terms = new Map<string, number>();
    for (const [index, field] of (split[at] ?? []).entries()) {
      const average = Math.max(1, (averages[index] ?? 0) / documents.length);
      const norm = 1 - b + (b * field.terms.length) / average;
      for (const term of field.terms) terms.set(term, (terms.get(term) ?? 0) + field.weight / norm);
    }
    for (const term of terms.keys()) frequency.set(term, (frequency.get(term) ?? 0) + 1);
    return { item, names: names.map(plainName), terms };
  });
  const idf = (term: string): number => {
    const count = frequency.get(term) ?? 0;
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
  const score = ({ terms }: IndexedDocument<T>, words: readonly string[]): number => {
    let sum = 0;
    let found = 0;
    for (const word of words) {
      const value = terms.get(word);
      if (value === undefined) continue;
      found += 1;
      sum += idf(word) * ((value * (k1 + 1)) / (value + k1));
    }
    // A document with all words of the question beats one that repeats a rare word of it.
    return words.length === 0 ? 0 : sum * (0.5 + (0.5 * found) / words.length);
  };

  return (query, sees = () => true) => {
    const text = query.slice(0, maxQueryChars);
    const visible = indexed.filter(({ item }) => sees(item));
    const words = [...new Set(toTerms(text))].slice(0, maxQueryWords);
    const exact = plainName(text);
    if (exact === '') return visible.map(({ item }) => item);
    const ranked = visible
      .map((document) => ({
        item: document.item,
        isNamed: document.names.includes(exact),
        value: score(document, words),
      }))
      .filter(({ isNamed, value }) => isNamed || value > 0)
      .toSorted((one, other) => Number(other.isNamed) - Number(one.isNamed) || other.value - one.value);
    const best = Math.max(0, ...ranked.slice(0, 50).map(({ value }) => value));
    return ranked.filter(({ isNamed, value }) => isNamed || value >= best * leastShare).map(({ item }) => item);
  };
}
