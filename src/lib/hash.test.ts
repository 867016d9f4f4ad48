import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha256, uuid7 } from './hash.js';

test('ids are version 7, ordered by time, and never repeat', () => {
  const ids = Array.from({ length: 10_000 }, (_, at) => uuid7(1_700_000_000_000 + at));
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
    true,
  );
  expect(ids.toSorted()).toEqual(ids);
  const tails = Array.from({ length: 10_000 }, () => uuid7(0).slice(15));
  expect(new Set(tails).size).toBe(tails.length);
});

test.each(['', 'abc', 'é', '\ud800'])('the digest of %j is the usual one', (text) => {
  expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});
