import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safePattern } from './patterns.js';

describe('a pattern from an untrusted source', () => {
  test.each([
    '(a+)+$',
    '(a*)*b',
    '^(a|a)*$',
    '^(a|aa)+$',
    '([a-zA-Z]+)*$',
    '^(\\w+\\s?)*$',
    '(x+x+)+y',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*)*=',
    '^(?:.*,)*x',
    '((a{1,100})*)*b',
    '(a?){30}a{30}',
    '(a|a){30}$',
    '(a+){1,9}$',
  ])('%s could take far too long and is dropped', (source) => {
    expect(safePattern(source)).toMatchObject({ kind: 'rejected', reason: 'slow_pattern' });
  });

  test.each(['\\p{Print}+', '(?i)abc', '[a-', '(', '\\Aabc\\Z', '[[:alpha:]]+', 'a++'])(
    '%s is not JavaScript and is dropped',
    (source) => {
      expect(safePattern(source)).toMatchObject({ kind: 'rejected', reason: 'invalid_pattern' });
    },
  );

  test.each([
    ['^[a-z\\-\\:]+$', 'a-b:c', 'A'],
    ['^[a-z0-9]+(-[a-z0-9]+)*$', 'a-b-c', 'a--b'],
    ['^\\d{4}-\\d{2}-\\d{2}$', '2020-01-01', 'x'],
    ['^\\d+\\.\\d+\\.\\d+\\.\\d+$', '1.2.3.4', '1.2.3'],
    ['^\\p{L}+$', 'äß', '1'],
    ['^(?=.*[a-z])(?=.*\\d).+$', 'a1', 'a'],
    ['^(get|set)$', 'get', 'let'],
    ['^[^@]+@[^@]+$', 'a@b', 'a'],
    ['^/api/(v1|v2)/', '/api/v1/', '/api/v3/'],
  ])('%s is kept and keeps its meaning', (source, good, bad) => {
    const pattern = safePattern(source);
    expect(pattern.kind === 'accepted' && pattern.test(good)).toBe(true);
    expect(pattern.kind === 'accepted' && pattern.test(bad)).toBe(false);
  });

  test('a text too long for a polynomial pattern does not match, so that length is no way past it', () => {
    const pattern = safePattern('a+b');
    expect(pattern).toMatchObject({ kind: 'accepted', maxLength: 3162 });
    expect(pattern.kind === 'accepted' && pattern.test(`${'a'.repeat(3162)}b`)).toBe(false);
    expect(pattern.kind === 'accepted' && pattern.test('aab')).toBe(true);
  });

  test('whatever is kept answers quickly on texts made to hurt', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '\\w',
      '\\d',
      '(a|b)',
      '(ab)',
      '(a+)',
      '(a*b)',
      '(-a+)',
      '(a|ab)',
    );
    const piece = fc.tuple(atom, fc.constantFrom('', '*', '+', '?', '{2,}', '{1,3}')).map(([one, many]) => one + many);
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.constantFrom('^', ''), (pieces, start) => {
        const pattern = safePattern(`${start}${pieces.join('')}$`);
        if (pattern.kind === 'rejected') return;
        const { maxLength } = pattern;
        // Exponential time would not end on 60 characters; the runner's own limit is what fails then.
        for (const text of [`${'a'.repeat(60)}!`, `${'ab'.repeat(30)}!`, `${'-a'.repeat(30)}!`])
          if (text.length <= maxLength) pattern.regex.test(text);
      }),
      { numRuns: 500 },
    );
  });
});
