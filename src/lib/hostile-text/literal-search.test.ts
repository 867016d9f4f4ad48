import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { literalSearch } from './literal-search.js';

const everyPlace = (text: string, literals: readonly string[]): string[] =>
  literals.flatMap((literal) => Array.from(text, (_, at) => at).filter((at) => text.startsWith(literal, at)).map((at) => `${at}:${literal}`)).sort();

test('every place of every literal is found, whatever the text', () => {
  const letters = fc.constantFrom('a', 'b', 'c', ' ', '\u5ffd');
  const literal = fc.string({ unit: letters, minLength: 3, maxLength: 6 });
  fc.assert(
    fc.property(fc.uniqueArray(literal, { minLength: 1, maxLength: 6 }), fc.string({ unit: letters, maxLength: 60 }), (literals, text) => {
      const found: string[] = [];
      literalSearch(literals)(text, (at, hit) => {
        found.push(`${at}:${hit}`);
        return 0;
      });
      expect(found.sort()).toEqual(everyPlace(text, literals));
    }),
    { numRuns: 500 },
  );
});

test('literals before the place to go on from are passed over', () => {
  const found: number[] = [];
  literalSearch(['abc'])('abcabcabc', (at) => {
    found.push(at);
    return at + 4;
  });
  expect(found).toEqual([0, 6]);
});

test('a literal of two characters is a mistake of the caller', () => {
  expect(() => literalSearch(['ab'])).toThrow('three characters');
});
