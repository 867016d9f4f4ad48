import { expect, test } from 'vitest';
import { rateShares } from './rate-shares.js';

const rate = { kind: 'rate', key: 'k', perMinute: 60, burst: 30 } as const;

test('a share starts empty and refills with its part of the rate', () => {
  let now = 0;
  const shares = rateShares({ maxKeys: () => 10, clock: () => now });
  shares.begin(0);
  expect(shares.take([rate], 3)).toEqual({ at: 0, retryAfterMs: 3_000 });
  now = 3_000;
  expect(shares.take([rate], 3)).toBeUndefined();
  expect(shares.take([rate], 3)).toEqual({ at: 0, retryAfterMs: 3_000 });
  now = 3_600_000;
  let allowed = 0;
  while (shares.take([rate], 3) === undefined) allowed += 1;
  expect(allowed).toBe(10);
});

test('a call that one rate refuses is charged to none, and allowed calls are reported once', () => {
  let now = 0;
  const shares = rateShares({ maxKeys: () => 10, clock: () => now });
  const slow = { ...rate, key: 'slow', perMinute: 1, burst: 1 };
  shares.begin(0);
  now = 1_000;
  expect(shares.take([rate, slow], 1)).toMatchObject({ at: 1 });
  expect(shares.take([rate], 1)).toBeUndefined();
  expect(shares.end()).toEqual([{ charge: rate, calls: 1 }]);
  expect(shares.end()).toEqual([]);
});

test('replicas that lose the counters at once never exceed the rate, whatever the burst', () => {
  let now = 0;
  const fleet = Array.from({ length: 3 }, () => rateShares({ maxKeys: () => 10, clock: () => now }));
  for (const shares of fleet) shares.begin(0);
  let allowed = 0;
  for (now = 0; now <= 60_000; now += 10)
    for (const shares of fleet) if (shares.take([rate], 3) === undefined) allowed += 1;
  expect(allowed).toBeLessThanOrEqual(60);
  expect(allowed).toBeGreaterThanOrEqual(57);
});
