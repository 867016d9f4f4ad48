import { expect, test } from 'vitest';
import { judge } from './schema.js';

test('two patterns of one schema are judged each by its own', () => {
  const judged = judge({ type: 'object', properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } });
  expect(judged({ a: 'a', b: 'b' })).toEqual([]);
  expect(judged({ a: 'b', b: 'a' }).map(({ field }) => field)).toEqual(['/a', '/b']);
});

test('a pattern that could hang is not run, one that is no pattern does not break the schema', () => {
  const judged = judge({ type: 'object', properties: { a: { pattern: '(a+)+$' }, b: { pattern: '[' }, c: { type: 'integer' } } });
  expect(judged({ a: `${'a'.repeat(40)}!`, b: 'x', c: 'x' }).map(({ field }) => field)).toEqual(['/c']);
});
