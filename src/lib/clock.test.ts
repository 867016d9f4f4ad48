import { expect, test } from 'vitest';
import { monotonic } from './clock.js';

test('the clock never runs backwards', () => {
  const times = Array.from({ length: 1_000 }, monotonic);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
