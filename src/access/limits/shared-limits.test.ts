import { expect, test } from 'vitest';
import { aCall, aTool } from '../../../test/support/make.js';
import type { GuardParts } from '../../guards/pipeline.js';
import { pipeline } from '../../guards/pipeline.js';
import { refuse } from '../../core/outcome.js';
import { tokenBucket } from '../../lib/token-bucket.js';
import type { ChargeResult, LimitCharge } from '../../state/counters.js';
import { budgets } from './budgets.js';
import { callLimits } from './limits.js';
import { sharedLimits } from './shared-limits.js';

const memory = () => ({ rates: tokenBucket({ maxKeys: 10 }), budgets: budgets({ maxKeys: () => 10 }) });
const limits = callLimits(
  [{ id: 'team', principals: [], roles: [], tools: [], shared: true, calls_per_minute: 100, calls_per_day: 1_000 }],
  memory(),
);

/** Runs one call with the limits of a cluster; returns its outcome and the charges of each round trip. */
async function charged(parts: GuardParts, answer: ChargeResult = { ok: true }, args = {}) {
  const steps: (readonly LimitCharge[])[] = [];
  const counters = {
    spend(charges: readonly LimitCharge[]) {
      steps.push(charges);
      return answer;
    },
  };
  const { rates, allowances } = sharedLimits(counters, limits);
  const run = pipeline({ bucket: tokenBucket({ maxKeys: 10 }), rates, allowances, ...parts })(aTool());
  const outcome = await run(aCall({ args }));
  return { outcome, kinds: steps.map((step) => step.map(({ kind, key }) => `${kind} ${key.split('\0')[0]}`)) };
}

test('a call that rules deny is charged to the rate of its tool, and to no limit that others share', async () => {
  const denied = refuse('policy_denied', 'no').error;
  const { outcome, kinds } = await charged({ authorizer: { decide: () => denied } });
  expect(outcome).toMatchObject({ error: { code: 'policy_denied' } });
  expect(kinds).toEqual([['rate tool']]);
});

test('a call with wrong arguments is charged in the same way', async () => {
  const { outcome, kinds } = await charged({}, { ok: true }, { nonsense: true });
  expect(outcome).toMatchObject({ error: { code: 'invalid_arguments' } });
  expect(kinds).toEqual([['rate tool']]);
});

test('an allowed call is charged to its tool, then to all other limits in one step', async () => {
  const { outcome, kinds } = await charged({ authorizer: { decide: () => undefined } });
  expect(outcome).toMatchObject({ kind: 'done' });
  expect(kinds).toEqual([['rate tool'], ['rate limit', 'budget limit']]);
});

test('counters that cannot be reached are not reported as a rate that the caller has exceeded', async () => {
  const { outcome } = await charged({}, { ok: false, index: 0, retryAfterMs: 1_000, unavailable: true });
  expect(outcome).toMatchObject({ error: { code: 'state_unavailable' } });
});
