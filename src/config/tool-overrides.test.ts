import { expect, test } from 'vitest';
import { aTool } from '../../test/support/make.js';
import { declareLimits } from '../core/limits.js';
import { schema } from './schema.js';
import { limitOverrides, unusedOverrides } from './tool-overrides.js';

const config = schema.parse({
  rate_limit: { requests: 33 },
  tool: {
    queue_length: 4,
    exclude: ['hidden_one'],
    overrides: {
      slow: { timeout: 300, concurrency: 3, rate: 7, tasks: 'required' },
      capped: { max_timeout: 5 },
      call: { timeout: 9, policy: 'public', max_memory_mb: 64 },
      slwo: { enabled: false },
      hidden_one: { timeout: 1 },
      late__tool: { timeout: 1 },
    },
  },
});
const limits = { timeoutMs: 30_000, maxTimeoutMs: 120_000, concurrency: 8, ratePerMinute: 0 };

test.each(['api', 'command', 'embedded'])('an operator changes the limits of a tool of any source: %s', (source) => {
  const put = limitOverrides(config);
  expect(put(aTool({ name: 'slow', source, limits }))).toMatchObject({
    tasks: 'required',
    limits: { timeoutMs: 300_000, maxTimeoutMs: 300_000, concurrency: 3, ratePerMinute: 7 },
  });
  expect(put(aTool({ name: 'capped', source, limits })).limits).toMatchObject({
    timeoutMs: 5_000,
    maxTimeoutMs: 5_000,
    concurrency: 8,
  });
});

test('limits that a tool does not declare are the defaults of the operator', () => {
  const tool = { ...aTool({ name: 'plain' }), ...declareLimits({ limits: { concurrency: 9 } }) };
  expect(limitOverrides(config)(tool).limits).toMatchObject({ concurrency: 9, ratePerMinute: 33, queue: 4 });
});

test('a setting that the source has applied in another form is not applied again', () => {
  const tool = {
    ...aTool({ name: 'call' }),
    ...declareLimits({ limits: { timeoutMs: 20_000, maxTimeoutMs: 20_000 }, applies: ['timeout'] }),
  };
  expect(limitOverrides(config)(tool).limits.timeoutMs).toBe(20_000);
});

test('the same tool gives the same object each time', () => {
  const put = limitOverrides(config);
  const [other, slow] = [aTool({ name: 'other' }), aTool({ name: 'slow' })];
  expect(put(other)).toBe(put(other));
  expect(put(slow)).toBe(put(slow));
});

test('lazy fields of a tool are not evaluated', () => {
  let made = 0;
  const tool = Object.defineProperty(aTool({ name: 'slow' }), 'details', {
    enumerable: true,
    get: () => ({ made: (made += 1) }),
  });
  const changed = limitOverrides(config)(tool);
  expect(made).toBe(0);
  expect(changed.details).toEqual({ made: 1 });
});

test('overrides that no tool uses are reported: unknown names, and keys without effect', () => {
  const call = { ...aTool({ name: 'call' }), ...declareLimits({ limits: {}, applies: ['policy'] }) };
  const filtered = new Set(['hidden', 'hidden_one']);
  const tools = new Map([call, aTool({ name: 'slow' }), aTool({ name: 'capped' })].map((tool) => [tool.name, tool]));
  expect(unusedOverrides(config, { tools, filtered }, ['late__'])).toEqual([
    { path: 'tool.overrides.call.max_memory_mb', message: 'has no effect on call', isUnknown: false },
    { path: 'tool.overrides.slwo', message: 'unknown tool slwo; did you mean slow?', isUnknown: true },
  ]);
  const typo = schema.parse({ tool: { overrides: { slwo: { enabled: false } } } });
  expect(unusedOverrides(typo, { tools, filtered }, [])).toMatchObject([{ path: 'tool.overrides.slwo' }]);
  const lists = schema.parse({ tool: { include: ['slow', 'hidden', 'cappd'], exclude: ['hidden', 'nothing-near'] } });
  expect(unusedOverrides(lists, { tools, filtered }, [])).toMatchObject([
    { path: 'tool.include', message: 'unknown tool cappd; did you mean capped?', isUnknown: true },
    { path: 'tool.exclude', message: 'unknown tool nothing-near', isUnknown: true },
  ]);
});
