import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { literalSearch } from './literal-search.js';

const everyPlace = (text: string, literals: readonly string[]): string[] =>
  literals
    .flatMap((literal) =>
      Array.from(text, (_, at) => at)
        .filter((at) => text.startsWith(literal, at))
        .map((at) => `${at}:${literal}`),
    )
    .sort();

test('every place of every literal is found, whatever the text', () => {
  const letters = fc.constantFrom('a', 'b', 'c', ' ', '\u5ffd');
  const literal = fc.string({ unit: letters, minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(
      fc.uniqueArray(literal, { minLength: 1, maxLength: 6 }),
      fc.string({ unit: letters, maxLength: 60 }),
      (literals, text) => {
        const found: string[] = [];
        literalSearch(literals)(text, (at, hit) => {
          found.push(`${at}:${hit}`);
          return 0;
        });
        expect(found.sort()).toEqual(everyPlace(text, literals));
      },
    ),
    { numRuns: 500 },
  );
});

test.each([16_381, 16_383, 16_384, 32_766])(
  'a literal is found where a piece of a long text ends, %i characters in',
  (before) => {
    for (const literal of ['needle', 'nädel', '忽略之前']) {
      const text = `${'я'.repeat(before)}${literal}${' .'.repeat(20_000)}${literal}`;
      const found: number[] = [];
      literalSearch([literal])(text, (at) => {
        found.push(at);
        return 0;
      });
      expect(found).toEqual([before, text.length - literal.length]);
    }
  },
);

test('a match callback may search another text, also by a throw, and the first search goes on undisturbed', () => {
  const search = literalSearch(['first', 'second']);
  const found: string[] = [];
  search('first … second', (at, literal) => {
    found.push(`${at}:${literal}`);
    if (literal === 'first') {
      search('xxx second yyy', (inner, hit) => {
        found.push(`inner ${inner}:${hit}`);
        return 0;
      });
    }
    expect(() =>
      search('first', () => {
        throw new Error('stop');
      }),
    ).toThrow('stop');
    return 0;
  });
  expect(found).toEqual(['0:first', 'inner 4:second', '8:second']);
});

test('literals before the place to go on from are passed over', () => {
  const found: number[] = [];
  literalSearch(['abc'])('abcabcabc', (at) => {
    found.push(at);
    return at + 4;
  });
  expect(found).toEqual([0, 6]);
});

test('a literal of one character is a mistake of the caller', () => {
  expect(() => literalSearch(['a'])).toThrow('two characters');
});
