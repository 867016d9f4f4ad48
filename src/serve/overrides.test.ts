import { expect, test } from 'vitest';
import { aTool } from '../../test/support/make.js';
import { schema } from '../config/schema.js';
import { readOnly, worstEffects } from '../core/tool.js';
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

test('effects that a source states about itself count only if the operator vouches for the source or the tool', () => {
  const honest = { ...readOnly, labels: ['upstream'] };
  const wipe = aTool({
    name: 'up__wipe',
    source: 'up',
    effects: { ...worstEffects, labels: ['upstream'] },
    claimedEffects: honest,
  });
  const of = (given: object) => overridesOf(schema.parse(given));
  const plain = of({});
  expect(plain(wipe)).toBe(wipe);
  expect(plain(wipe).effects).toMatchObject({ writes: true, destroys: true, openWorld: true });
  const trusting = of({ output: { trusted_sources: ['up'] } });
  expect(trusting(wipe).effects).toBe(honest);
  expect(trusting(wipe)).toBe(trusting(wipe));
  const stated = of({ tool: { overrides: { up__wipe: { effects: { writes: false } } } } });
  expect(stated(wipe).effects).toEqual({ ...worstEffects, labels: ['upstream'], writes: false, destroys: false });
  const stricter = of({
    output: { trusted_sources: ['*'] },
    tool: { overrides: { up__wipe: { effects: { destroys: true } } } },
  });
  expect(stricter(wipe).effects).toMatchObject({ writes: false, destroys: true });
});
