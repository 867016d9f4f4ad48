import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { backoffDebounce } from './backoff-debounce.js';
import { deferred } from '../../../test/support/make.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const now = (): number => Date.now();

test('many changes are reported as one, soon after the first', async () => {
  let told = 0;
  const changes = backoffDebounce(() => void (told += 1), now);
  for (let at = 0; at < 1_000; at += 1) changes.trigger();
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toBe(1);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toBe(1);
});

test('changes without end are reported with exponential back-off, and soon again after a rest', async () => {
  let told = 0;
  const changes = backoffDebounce(() => void (told += 1), now);
  const storm = setInterval(changes.trigger, 10);
  await vi.advanceTimersByTimeAsync(60_000);
  clearInterval(storm);
  // At a tenth of a second each these would be six hundred.
  expect(told).toBeGreaterThan(5);
  expect(told).toBeLessThan(15);
  await vi.advanceTimersByTimeAsync(60_000);
  const before = told;
  changes.trigger();
  await vi.advanceTimersByTimeAsync(100);
  expect(told).toBe(before + 1);
});

test('changes during a notification are reported after it, once', async () => {
  const slow = deferred<void>();
  let told = 0;
  const changes = backoffDebounce(() => ((told += 1), told === 1 ? slow.promise : undefined), now);
  changes.trigger();
  await vi.advanceTimersByTimeAsync(100);
  for (let at = 0; at < 100; at += 1) {
    changes.trigger();
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(told).toBe(1);
  slow.resolve();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toBe(2);
});

test('after close no change is reported', async () => {
  let told = 0;
  const changes = backoffDebounce(() => ((told += 1), Promise.resolve()), now);
  changes.trigger();
  await vi.advanceTimersByTimeAsync(1_000);
  changes.trigger();
  await vi.advanceTimersByTimeAsync(1_000);
  changes.close();
  changes.trigger();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toBe(2);
});
