import { expect, test } from 'vitest';
import { schemaContract } from '../core/contract.js';
import { done, refuse } from '../core/outcome.js';
import type { Contract } from '../core/tool.js';
import type { Args } from '../core/call.js';
import { ada, aCall, aTool, bob, guarded } from '../../test/support/make.js';
import { authorize } from './authorize.js';
import { contain } from './contain.js';
import type { CallMetrics } from './metrics.js';
import { metrics } from './metrics.js';
import { validate } from './validate.js';

test('arguments that do not fit are refused field by field, and nothing runs [S1.7]', async () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer', minimum: 1 }, kind: { enum: ['a', 'b'] } },
    required: ['n'],
    additionalProperties: false,
  };
  let ran = false;
  const call = guarded(
    [validate],
    () => {
      ran = true;
      return Promise.resolve(done(''));
    },
    aTool({ input: schemaContract(schema) }),
  );
  expect(await call(aCall({ args: { n: 0, kind: 'c', x: 1 } }))).toMatchObject({
    error: {
      code: 'invalid_arguments',
      data: {
        problems: expect.arrayContaining([
          expect.objectContaining({ field: '/n', keyword: 'minimum' }),
          expect.objectContaining({ field: '/kind', keyword: 'enum', message: 'must be one of a, b' }),
          expect.objectContaining({ field: '/x', message: 'is not a known argument' }),
        ]),
      },
    },
  });
  expect(await call(aCall())).toMatchObject({ error: { message: 'n is required' } });
  expect(ran).toBe(false);
});

test('behind validate everyone sees the parsed copy', async () => {
  const input: Contract<Args> = {
    schema: {},
    parse: () => ({ ok: true, value: { target: '127.0.0.1' }, timeoutMs: 7 }),
  };
  const call = guarded(
    [validate],
    (inner) => Promise.resolve(done(`${String(inner.args['target'])} ${inner.timeoutMs}`)),
    aTool({ input }),
  );
  expect(await call(aCall({ args: { target: 'localhost' } }))).toEqual(done('127.0.0.1 7'));
});

test('a tool that cannot run here refuses before anything else', async () => {
  const tool = aTool({ unavailable: { code: 'command_missing', message: 'nmap is not installed' } });
  expect(await guarded([validate], tool.run, tool)(aCall())).toMatchObject({ error: { code: 'command_missing' } });
});

test('an objection of the authorizer ends the call', async () => {
  const authorizer = {
    decide: (call: { principal: { id: string } }) =>
      call.principal.id === 'ada' ? undefined : ({ code: 'forbidden', message: 'no' } as const),
  };
  const call = guarded([authorize({ authorizer })], () => Promise.resolve(done('')));
  expect(await call(aCall({ principal: ada }))).toMatchObject({ kind: 'done' });
  expect(await call(aCall({ principal: bob }))).toMatchObject({ error: { code: 'forbidden' } });
});

test('a bug becomes `internal`: the caller gets the correlation id, the log gets the rest [S0.84] [S1.17]', async () => {
  const faults: unknown[] = [];
  const call = guarded([contain({ faults: { fault: (error) => faults.push(error) } })], () => {
    throw new Error('/secret/path');
  });
  const outcome = await call(aCall());
  expect(outcome).toMatchObject({ error: { code: 'internal' } });
  expect(JSON.stringify(outcome)).not.toContain('secret');
  expect(JSON.stringify(outcome)).toContain('c1');
  expect(String(faults[0])).toContain('/secret/path');
});

test('the active gauge returns to zero on every way out [S0.119]', async () => {
  let active = 0;
  const ended: string[] = [];
  const sink: CallMetrics = {
    started: () => {
      active += 1;
    },
    ended: (_tool, status, type) => {
      active -= 1;
      ended.push(`${status} ${type}`);
    },
  };
  const run = (outcome: () => ReturnType<typeof done> | ReturnType<typeof refuse>) =>
    guarded([metrics({ sink })], async () => outcome())(aCall());
  await run(() => done(''));
  await run(() => refuse('timeout', ''));
  await run(() => refuse('invalid_arguments', ''));
  await run(() => {
    throw new Error('bug');
  }).catch(() => {});
  expect(active).toBe(0);
  expect(ended).toEqual(['success none', 'failure timeout', 'refused validation_error', 'failure unknown']);
});
