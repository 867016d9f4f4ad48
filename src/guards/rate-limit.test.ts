import { expect, test } from 'vitest';
import { done } from '../core/outcome.js';
import { tokenBucket } from '../lib/token-bucket.js';
import { ada, aCall, aTool, bob, guarded, handClock } from '../../test/support/make.js';
import { rateLimit } from './rate-limit.js';

const ok = () => Promise.resolve(done(''));

test('each principal has its own tokens for each tool [S0.93]', async () => {
  const bucket = tokenBucket({ maxKeys: 100, clock: handClock() });
  const ping = guarded([rateLimit({ bucket })], ok, aTool({ name: 'ping', limits: { ratePerMinute: 1 } }));
  const scan = guarded([rateLimit({ bucket })], ok, aTool({ name: 'scan', limits: { ratePerMinute: 1 } }));
  expect(await ping(aCall({ principal: ada }))).toMatchObject({ kind: 'done' });
  expect(await ping(aCall({ principal: ada }))).toMatchObject({
    error: { code: 'rate_limited', retryAfterMs: 60_000 },
  });
  expect(await ping(aCall({ principal: bob }))).toMatchObject({ kind: 'done' });
  expect(await scan(aCall({ principal: ada }))).toMatchObject({ kind: 'done' });
});

test('tokens come back with time, never more than the rate [S0.94]', () => {
  const clock = handClock();
  const bucket = tokenBucket({ maxKeys: 100, clock });
  const take = () => bucket.take('k', 10).ok;
  expect(Array.from({ length: 11 }, take).filter(Boolean).length).toBe(10);
  clock.advance(6_000);
  expect([take(), take()]).toEqual([true, false]);
  clock.advance(3_600_000);
  expect(Array.from({ length: 11 }, take).filter(Boolean).length).toBe(10);
});

test('a clock that stands still or a burst of keys cannot grow the table past its bound [S0.95]', () => {
  const clock = handClock();
  const bucket = tokenBucket({ maxKeys: 1000, clock });
  for (let i = 0; i < 5_000; i++) bucket.take(`k${i}`, 10);
  expect(bucket.size()).toBe(1000);
  expect(bucket.take('k4999', 10).remaining).toBe(8);
  expect(bucket.take('k0', 10).remaining).toBe(9);
});

test('keys that filled up again are swept and the sweep is reported [S0.95]', () => {
  const clock = handClock();
  const swept: number[] = [];
  const bucket = tokenBucket({ maxKeys: 1000, clock, onSweep: (removed) => swept.push(removed) });
  for (let i = 0; i < 60; i++) bucket.take(`k${i}`, 10);
  clock.advance(120_000);
  for (let i = 0; i < 60; i++) bucket.take('again', 10_000);
  expect(swept).toEqual([60]);
  expect(bucket.size()).toBe(1);
});

test('a changed rate applies at once', () => {
  const bucket = tokenBucket({ maxKeys: 10, clock: handClock() });
  for (let i = 0; i < 5; i++) bucket.take('k', 100);
  expect(bucket.take('k', 2).remaining).toBe(1);
});

test('a tool without a rate is not touched', () => {
  const bucket = tokenBucket({ maxKeys: 10 });
  expect(rateLimit({ bucket })(aTool({ limits: { ratePerMinute: 0 } }), ok)).toBe(ok);
});
