import { expect, test } from 'vitest';
import { tokenBucket } from './token-bucket.js';

const setUp = (maxKeys = 100) => {
  let now = 0;
  const removed: number[] = [];
  const bucket = tokenBucket({ maxKeys, clock: () => now, onSweep: (count) => removed.push(count) });
  return { bucket, removed, advance: (ms: number) => void (now += ms) };
};

test('a burst is allowed, then one token per interval', () => {
  const { bucket, advance } = setUp();
  expect(bucket.take('a', 2)).toEqual({ ok: true, limit: 2, remaining: 1, retryAfterMs: 0 });
  expect(bucket.take('a', 2).ok).toBe(true);
  expect(bucket.take('a', 2)).toEqual({ ok: false, limit: 2, remaining: 0, retryAfterMs: 30_000 });
  advance(30_000);
  expect(bucket.take('a', 2).ok).toBe(true);
  expect(bucket.take('a', 2).ok).toBe(false);
});

test('a changed limit does not refill the bucket', () => {
  const { bucket } = setUp();
  bucket.take('a', 1);
  expect(bucket.take('a', 1).ok).toBe(false);
  expect(bucket.take('a', 60).ok).toBe(false);
  expect(bucket.take('a', 1).ok).toBe(false);
});

test('a lower limit takes effect at once', () => {
  const { bucket } = setUp();
  bucket.take('a', 10);
  expect(bucket.take('a', 2)).toMatchObject({ ok: true, limit: 2, remaining: 1 });
});

test('keys have separate buckets, and the least recently used one is evicted', () => {
  const { bucket } = setUp(2);
  bucket.take('a', 1);
  bucket.take('b', 1);
  bucket.take('c', 1);
  expect(bucket.size()).toBe(2);
  expect(bucket.take('c', 1).ok).toBe(false);
  expect(bucket.take('a', 1).ok).toBe(true);
});

test('a sweep evicts full buckets only', () => {
  const { bucket, removed, advance } = setUp();
  bucket.take('fast', 60);
  bucket.take('slow', 1);
  advance(1_000);
  expect(bucket.sweep()).toBe(1);
  expect(bucket.size()).toBe(1);
  expect(removed).toEqual([1]);
});
