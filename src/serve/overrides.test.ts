import { expect, test } from 'vitest';
import { aTool } from '../../test/support/make.js';
import { schema } from '../config/schema.js';
import { overridesOf } from './overrides.js';

const config = schema.parse({
  sources: { api: { kind: 'openapi', document: 'api.json' } },
  tool: {
    overrides: {
      slow: { timeout: 300, concurrency: 3, rate: 7, tasks: 'required' },
      capped: { max_timeout: 5 },
      ping: { timeout: 9 },
    },
  },
});
const limits = { timeoutMs: 30_000, maxTimeoutMs: 120_000, concurrency: 8, ratePerMinute: 0 };

test('an operator moves the limits of a tool of an API', () => {
  const put = overridesOf(config);
  expect(put(aTool({ name: 'slow', source: 'api', limits }))).toMatchObject({
    tasks: 'required',
    limits: { timeoutMs: 300_000, maxTimeoutMs: 300_000, concurrency: 3, ratePerMinute: 7 },
  });
  expect(put(aTool({ name: 'capped', source: 'api', limits })).limits).toMatchObject({
    timeoutMs: 5_000,
    maxTimeoutMs: 5_000,
    concurrency: 8,
  });
});

test('a source that settles its own limits keeps them', () => {
  expect(overridesOf(config)(aTool({ name: 'ping', source: 'command', limits })).limits).toMatchObject(limits);
});

test('a tool without a word about it is itself, and one with a word is the same each time', () => {
  const put = overridesOf(config);
  const [other, slow] = [aTool({ name: 'other' }), aTool({ name: 'slow', source: 'api' })];
  expect(put(other)).toBe(other);
  expect(put(slow)).toBe(put(slow));
});

test('what a tool makes only when asked stays unmade', () => {
  let made = 0;
  const tool = Object.defineProperty(aTool({ name: 'slow', source: 'api' }), 'details', {
    enumerable: true,
    get: () => ({ made: (made += 1) }),
  });
  const changed = overridesOf(config)(tool);
  expect(made).toBe(0);
  expect(changed.details).toEqual({ made: 1 });
});
