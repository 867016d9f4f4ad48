import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { retryTimer } from './retry-timer.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('attempts back off up to the maximum, and start over after a reset', () => {
  const timer = retryTimer(100, 300);
  const at: number[] = [];
  const start = Date.now();
  const attempt = (): void => {
    at.push(Date.now() - start);
    if (at.length === 4) timer.reset();
    if (at.length < 5) timer.schedule(attempt);
  };
  timer.schedule(attempt);
  vi.advanceTimersByTime(5_000);
  expect(at).toEqual([100, 300, 600, 900, 1_000]);
});

test('a stopped timer attempts nothing', () => {
  const timer = retryTimer(100, 300);
  const attempt = vi.fn();
  timer.schedule(attempt);
  timer.stop();
  vi.advanceTimersByTime(5_000);
  expect(attempt).not.toHaveBeenCalled();
});
