import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { declareLimits, settleLimits } from './limits.js';
import { defaultLimits } from './tool.js';

const defaults = { timeoutMs: 60_000, concurrency: 2, queue: 16, queueTimeoutMs: 1_000, ratePerMinute: 30 };

test('a limit is the exception of the operator, else the declaration, else the default of the operator', () => {
  const declares = { limits: { timeoutMs: 5_000, concurrency: 7 } };
  expect(settleLimits(declares, { defaults, exceptions: { concurrency: 3 } }).limits).toEqual({
    ...defaultLimits,
    ...defaults,
    timeoutMs: 5_000,
    concurrency: 3,
  });
});

test('a longer timeout of the operator raises the maximum, unless the operator sets one', () => {
  const declares = { limits: { timeoutMs: 30_000, maxTimeoutMs: 120_000 } };
  expect(settleLimits(declares, { defaults, exceptions: { timeoutMs: 300_000 } }).limits).toMatchObject({
    timeoutMs: 300_000,
    maxTimeoutMs: 300_000,
  });
  expect(
    settleLimits(declares, { defaults, exceptions: { timeoutMs: 300_000, maxTimeoutMs: 5_000 } }).limits,
  ).toMatchObject({ timeoutMs: 5_000, maxTimeoutMs: 5_000 });
});

test('the range of a tool also limits the operator, and the clamped setting is reported', () => {
  const declares = {
    limits: { concurrency: 2 },
    ranges: { concurrency: [1, 5] as const, queue: [64, 1_000] as const },
  };
  expect(settleLimits(declares, { defaults, exceptions: { concurrency: 50 } })).toMatchObject({
    // A default below the range is raised without a report: no setting names it.
    limits: { concurrency: 5, queue: 64 },
    clamps: [{ limit: 'concurrency', given: 50, used: 5, range: [1, 5] }],
  });
});

test('settled limits stay the same when they are settled again', () => {
  const limits = fc.record(
    { timeoutMs: fc.nat(), maxTimeoutMs: fc.nat(), concurrency: fc.nat(), queue: fc.nat(), ratePerMinute: fc.nat() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(limits, limits, (declared, exceptions) => {
      const once = settleLimits({ limits: declared }, { defaults, exceptions }).limits;
      expect(settleLimits({ limits: once }, { defaults, exceptions }).limits).toEqual(once);
      expect(once.timeoutMs).toBeLessThanOrEqual(once.maxTimeoutMs);
    }),
  );
});

test('a declaration has limits without any settings of an operator', () => {
  expect(declareLimits({ limits: { concurrency: 9 } }).limits).toEqual({ ...defaultLimits, concurrency: 9 });
});
