import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { yamlFile } from './yaml-file.js';

const problems = (text: string): readonly string[] => {
  const read = yamlFile(text, 'f');
  return read.ok ? [] : read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
};

test.each([
  ['the same key twice', 'a: 1\na: 2\n', /^2:1 has the key a twice/],
  ['the same key twice in other words', '16: 1\n0x10: 2\n', /^2:1 .*duplicated/i],
  ['a broken flow list', 'a: [1, 2\nb: 3\n', /^\d+:\d+ /],
  ['a tab as indentation', 'a:\n\tb: 1\n', /^2:1 /],
  ['a tag that would make something', 'a: !!js/function "x"\n', /^1:4 .*tag/i],
  ['a binary', 'a: !!binary aGk=\n', /^1:4 .*tag/i],
  ['two documents', 'a: 1\n---\nb: 2\n', /more than one document/],
  ['a list as a key', '? [a]\n: 1\n', /^1:3 has a key that is not a string/],
  ['an empty key', '? \n: 1\n', /not a string/],
  ['a prototype', '__proto__: { admin: true }\n', /^1:1 has a key that is not allowed/],
  ['a constructor, deep down', 'a:\n  - constructor: 1\n', /^2:5 has a key that is not allowed/],
  ['an unknown alias', 'a: *b\n', /^1:4 refers to &b, which is not defined before it/],
  ['a value inside itself', 'a: &a\n  b: *a\n', /^2:6 refers to &a from inside itself/],
  ['a value inside itself under an old name', 'a: &a 1\nb: &a [*a]\n', /^2:8 refers to &a from inside itself/],
])('%s is a problem with its place', (_, text, says) => {
  expect(problems(text)[0]).toMatch(says);
});

test.each([
  ['lists in flow style', '['.repeat(100_000)],
  ['closed lists in flow style', '['.repeat(5000) + ']'.repeat(5000)],
  ['lists in block style', `${'- '.repeat(20_000)}x`],
  ['maps in block style', Array.from({ length: 1000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['questions', '? '.repeat(3000)],
])('%s nested beyond reason are refused before they overflow the stack', (_, text) => {
  expect(problems(text)).toEqual([expect.stringMatching(/nesting exceeded maxDepth \(64\)/)]);
});

test('a file with too many values is refused before keys are compared pairwise', () => {
  expect(problems(Array.from({ length: 60_000 }, (_, index) => `k${index}: 1`).join('\n'))).toEqual([
    '1:1 contains more than 50000 values',
  ]);
});

test('a bomb of aliases is refused', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghi'
      .split('')
      .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`),
  ].join('\n');
  expect(problems(bomb)).toEqual(['1:1 contains more than 50000 values']);
});

test('a ladder of aliases that is deep only when unfolded is refused', () => {
  const deep = (inner: string): string => '['.repeat(40) + inner + ']'.repeat(40);
  expect(problems(`a: &a ${deep('1')}\nb: ${deep('*a')}\n`)).toEqual(['1:1 is nested more than 64 levels deep']);
});

test('shared blocks are fine, and a merge key is an ordinary key', () => {
  const read = yamlFile('a: &x { b: 1 }\nc: *x\nd: { <<: *x }\n', 'f');
  expect(read.ok && read.file.value).toEqual({ a: { b: 1 }, c: { b: 1 }, d: { '<<': { b: 1 } } });
});

test('words that only look like something else stay text', () => {
  const read = yamlFile('a: no\nb: 2020-01-01\nc: 0o17\nd: 1_000\ne: 12:30\nf: "80"\n', 'f');
  expect(read.ok && read.file.value).toEqual({ a: 'no', b: '2020-01-01', c: 15, d: '1_000', e: '12:30', f: '80' });
});

test('the place of a key is found through lists and aliases, or the nearest one above', () => {
  const read = yamlFile('a:\n  - b: &x { c: 1 }\nd: *x\n', 'f');
  if (!read.ok) throw new Error('unreadable');
  expect(read.file.place(['a', 0, 'b', 'c'])).toEqual({ line: 2, column: 13 });
  expect(read.file.place(['d', 'c'])).toEqual({ line: 2, column: 13 });
  expect(read.file.place(['a', 0], 'zz')).toEqual({ line: 2, column: 5 });
  expect(read.file.place(['nothing'])).toEqual({ line: 1, column: 1 });
});

test('another parser that accepts the same text reads the same data', () => {
  const scalar = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'yes',
      '~',
      '0x1F',
      '0o7',
      '1e3',
      '.inf',
      '-0',
      '"a\\tb"',
      "'it''s'",
      '|\n    x\n    y',
      '&a 1',
      '*a',
      'a: b',
      '# c',
      'x #y',
      '2020-01-01',
      '<<',
    ),
  );
  const line = fc
    .tuple(fc.nat(2), fc.constantFrom('a', 'b', '"c"', '- d', '-', '1'), scalar)
    .map(([depth, key, text]) => `${'  '.repeat(depth)}${key}: ${text}`);
  const texts = fc.oneof(
    fc.array(line, { maxLength: 6 }).map((all) => all.join('\n')),
    fc.json(),
    fc.string(),
  );
  let agreed = 0;
  fc.assert(
    fc.property(texts, (text) => {
      const read = yamlFile(text, 'f');
      const [judge, ...more] = parseAllDocuments(text, { version: '1.2', logLevel: 'silent' });
      if (
        !read.ok ||
        judge === undefined ||
        more.length > 0 ||
        !('errors' in judge) ||
        judge.errors.length + judge.warnings.length > 0
      )
        return;
      agreed += 1;
      expect(read.file.value).toEqual(judge.toJS() ?? {});
    }),
    { numRuns: 1000, seed: 7 },
  );
  expect(agreed).toBeGreaterThan(100);
});
