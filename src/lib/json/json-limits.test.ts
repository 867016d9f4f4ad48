import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nestsDeeperThan } from './json-limits.js';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

test('the scan agrees with the parsed value on every JSON text', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 8 }), (json, max) => {
      expect(nestsDeeperThan(Buffer.from(json), max)).toBe(depthOf(JSON.parse(json)) > max);
    }),
  );
});

test.each([
  ['brackets in a string', '"[[[[[["', false],
  ['an escaped quote before brackets', '"\\"[[[["', false],
  ['an escaped backslash that ends the string', '"\\\\",[[[[[[', true],
  ['unclosed brackets', '[[[[[[[[', true],
  ['a string that never ends', '"[[[[[[[[', false],
])('%s counts as it nests', (_name, json, deeper) => {
  expect(nestsDeeperThan(Buffer.from(json), 3)).toBe(deeper);
});
