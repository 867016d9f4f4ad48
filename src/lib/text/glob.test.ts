import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyGlob, glob } from './glob.js';

test.each([
  ['*', '', true],
  ['a*', 'a', true],
  ['a*c', 'abc', true],
  ['a*c', 'abd', false],
  ['?', '', false],
  ['?', 'x', true],
  ['*a*b', 'xxaxxb', true],
  ['github__*', 'github__list', true],
  ['github__*', 'git__list', false],
  ['a.c', 'abc', false],
  ['*', 'line\nbreak', true],
  ['a*a*a', 'aa', false],
])('%s fits %s: %s', (pattern, text, expected) => {
  expect(glob(pattern)(text)).toBe(expected);
});

test('no patterns fit everything', () => {
  expect(anyGlob([])('x')).toBe(true);
  expect(anyGlob(['y', 'x*'])('x1')).toBe(true);
  expect(anyGlob(['y'])('x')).toBe(false);
});

test('it agrees with a regular expression on any pattern', () => {
  const part = fc.array(fc.constantFrom('*', '?', 'a', 'b', '.'), { maxLength: 8 }).map((parts) => parts.join(''));
  const text = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 10 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(part, text, (pattern, value) => {
      const regex = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`);
      expect(glob(pattern)(value)).toBe(regex.test(value));
    }),
  );
});
