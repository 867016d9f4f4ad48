import { expect, test } from 'vitest';
import { restartBackoff } from './restart-backoff.js';

function aBackoff() {
  let now = 1_000;
  const backoff = restartBackoff({ crashLimit: 5, restMs: 60_000 }, () => now);
  return { backoff, pass: (ms: number) => (now += ms) };
}

test('each failure in a row doubles the wait, and after five restarts pause', () => {
  const { backoff } = aBackoff();
  const waits = [1, 2, 3, 4, 5].map(() => {
    backoff.fail({ message: 'ended' });
    return backoff.current()?.retryAfterMs;
  });
  expect(waits).toEqual([100, 200, 400, 800, 60_000]);
  expect([backoff.isPaused(), backoff.current()?.message]).toEqual([
    true,
    'ended, 5 times in a row; restarts are paused',
  ]);
});

test('nothing waits once the time has passed', () => {
  const { backoff, pass } = aBackoff();
  backoff.fail({ message: 'ended' });
  pass(100);
  expect(backoff.current()).toBeUndefined();
});

test('an answer ends the row of failures', () => {
  const { backoff } = aBackoff();
  for (const _ of [1, 2, 3, 4]) backoff.fail({ message: 'ended' });
  backoff.reset();
  backoff.fail({ message: 'ended' });
  expect([backoff.isPaused(), backoff.current()?.retryAfterMs]).toEqual([false, 100]);
});
