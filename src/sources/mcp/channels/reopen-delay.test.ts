import { expect, test } from 'vitest';
import { reopenDelay } from './reopen-delay.js';

test('a stream that ends at once is reopened with back-off up to 30 s', () => {
  const next = reopenDelay();
  expect([1, 2, 3, 4, 5, 6, 7].map(() => next(5, undefined))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ]);
});

test('a stream that lasted resets the back-off', () => {
  const next = reopenDelay();
  for (const _ of [1, 2, 3]) next(5, undefined);
  expect(next(60_000, undefined)).toBe(1_000);
});

test('a server that closes at once with retry: 0 causes no reconnect loop', () => {
  const next = reopenDelay();
  expect([1, 2, 3, 4, 5, 6, 7].map(() => next(1, 0))).toEqual([100, 100, 100, 100, 100, 1_000, 1_000]);
  expect(reopenDelay()(1, 3_600_000)).toBe(30_000);
});
