import { expect, test } from 'vitest';
import { toCompletion } from './completion.js';

test.each([
  ['no completion', {}, { values: [] }],
  ['values that are no list', { completion: { values: 'a' } }, { values: [] }],
  ['values of other types', { completion: { values: ['a', 1, null] } }, { values: ['a'] }],
  ['counts of other types', { completion: { values: [], total: '7', hasMore: 1 } }, { values: [] }],
  ['counts', { completion: { values: ['a'], total: 7, hasMore: true } }, { values: ['a'], total: 7, hasMore: true }],
])('%s', (_, result, expected) => {
  expect(toCompletion(result)).toEqual(expected);
});

test('a completion is bounded in number and length', () => {
  const { values } = toCompletion({ completion: { values: Array.from({ length: 500 }, () => 'x'.repeat(5_000)) } });
  expect([values.length, values[0]?.length]).toEqual([100, 1_000]);
});
