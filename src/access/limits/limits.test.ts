import { expect, test } from 'vitest';
import { done } from '../../core/outcome.js';
import { allowance } from '../../guards/allowance.js';
import { ada, aCall, aTool, bob, guarded, handClock } from '../../../test/support/make.js';
import { tokenBucket } from '../../lib/token-bucket.js';
import { budgets } from './budgets.js';
import type { Limit } from './limits.js';
import { callLimits } from './limits.js';

const aLimit = (over: Partial<Limit>): Limit => ({
  id: 'l',
  principals: [],
  roles: [],
  tools: [],
  shared: false,
  ...over,
});

function counted(rules: readonly Limit[]) {
  const clock = handClock(1_000);
  const made = callLimits(rules, {
    rates: tokenBucket({ maxKeys: 100, clock }),
    budgets: budgets({ maxKeys: () => 100, now: clock }),
  });
  const call = guarded([allowance({ allowances: made })], () => Promise.resolve(done('')));
  return {
    clock,
    about: made.about,
    spend: async (principal = bob) => {
      const outcome = await call(aCall({ principal }));
      return outcome.kind === 'failed' ? outcome.error : undefined;
    },
  };
}

test('a rate counts each caller by itself over all its tools, and fills up again', async () => {
  const { clock, spend } = counted([aLimit({ id: 'two', calls_per_minute: 2 })]);
  expect([await spend(), await spend(), await spend(ada)]).toEqual([undefined, undefined, undefined]);
  expect(await spend()).toMatchObject({
    code: 'rate_limited',
    message: 'Limit two is exhausted',
    decision: { rule: 'two' },
    retryAfterMs: 30_000,
  });
  clock.advance(30_000);
  expect(await spend()).toBeUndefined();
});

test('a budget lasts for a day from its first call', async () => {
  const { clock, spend } = counted([aLimit({ calls_per_day: 2 })]);
  await spend();
  clock.advance(3_600_000);
  await spend();
  expect(await spend()).toMatchObject({ code: 'rate_limited', retryAfterMs: 82_800_000 });
  clock.advance(82_800_000);
  expect(await spend()).toBeUndefined();
});

test('a shared limit counts all callers together; one for a role leaves others alone', async () => {
  const shared = counted([aLimit({ calls_per_day: 1, shared: true })]);
  await shared.spend(ada);
  expect(await shared.spend(bob)).toMatchObject({ code: 'rate_limited' });
  const forUsers = counted([aLimit({ calls_per_day: 1, roles: ['user'] })]);
  await forUsers.spend();
  expect(await forUsers.spend()).toMatchObject({ code: 'rate_limited' });
  expect(await forUsers.spend(ada)).toBeUndefined();
  expect(forUsers.about(bob, aTool())).toEqual([{ limit: 'l', calls_per_day: 1, shared: false }]);
  expect(forUsers.about(ada, aTool())).toEqual([]);
});
