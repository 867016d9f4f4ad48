import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitWords } from './split-words.js';

test.each([
  ['', []],
  ['  -c   4 ', ['-c', '4']],
  [`-p '80,443'`, ['-p', '80,443']],
  [`--name="a b"c`, ['--name=a bc']],
  [`'' ""`, ['', '']],
  [String.raw`a\ b "c\"d" 'e\f' "g\h"`, ['a b', 'c"d', String.raw`e\f`, String.raw`g\h`]],
])('%j becomes %j by POSIX word rules [S0.39]', (text, words) => {
  expect(splitWords(text)).toEqual({ ok: true, words });
});

test.each([`'`, `"`, `-p "80`, `it's`, `a\\`])('%j is refused: a quote or escape is left open [S0.39]', (text) => {
  expect(splitWords(text)).toMatchObject({ ok: false });
});

test('too many words are refused', () => {
  expect(splitWords('x '.repeat(129))).toMatchObject({ ok: false });
});

test('words written in single quotes come back as they were', () => {
  const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 20 }), (words) => {
      expect(splitWords(words.map(quote).join(' '))).toEqual({ ok: true, words });
    }),
  );
});
