import { expect, test } from 'vitest';
import { lru } from './lru.js';

test('the entry unused for longest is forgotten first, so that keys from outside stay few [S0.104]', () => {
  const known = lru<string, number>(2);
  known.set('a', 1);
  known.set('b', 2);
  expect(known.get('a')).toBe(1);
  known.set('c', 3);
  expect([known.get('a'), known.get('b'), known.get('c'), known.size]).toEqual([1, undefined, 3, 2]);
  expect([...known]).toEqual([
    ['a', 1],
    ['c', 3],
  ]);
  known.set('a', 4);
  known.delete('c');
  known.delete('nobody');
  expect([...known]).toEqual([['a', 4]]);
  known.clear();
  expect([known.get('a'), known.size]).toEqual([undefined, 0]);
});
