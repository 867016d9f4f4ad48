import { expect, test } from 'vitest';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { done, refuse } from '../core/outcome.js';
import { aCall, aTool, handClock } from '../../test/support/make.js';
import { breakers } from './breaker.js';
import type { ConfiguredGuards } from './pipeline.js';
import { noopGuard, pipeline, noopGuards } from './pipeline.js';

const none: ConfiguredGuards = { ...noopGuards, sanitize: noopGuard };

/** A guard that says when a call passes it and when it comes back. */
const noted =
  (name: string, seen: string[]): Guard =>
  (_tool, next) =>
  async (call) => {
    seen.push(name);
    const outcome = await next(call);
    seen.push(`/${name}`);
    return outcome;
  };

test('the order is audit, metrics, trace, log, contain, rate, authorize, extensions, allowance, confirm, flow, breaker, sanitize, run, and back [S0.6]', async () => {
  const seen: string[] = [];
  const names = [
    'audit',
    'metrics',
    'trace',
    'callLog',
    'contain',
    'rateLimit',
    'authorize',
    'extensions',
    'allowance',
    'confirm',
    'flow',
    'breaker',
    'sanitize',
  ] as const;
  const wired = Object.fromEntries(names.map((name) => [name, noted(name, seen)])) as unknown as ConfiguredGuards;
  const tool = aTool({
    run: () => {
      seen.push('run');
      return Promise.resolve(done(''));
    },
  });
  await pipeline(wired)(tool)(aCall());
  expect(seen).toEqual([...names, 'run', ...names.toReversed().map((name) => `/${name}`)]);
});

test('bad input counts against the rate and reaches neither authorize, confirm, breaker nor a slot; it takes no half-open probe [S0.2] [S0.7]', async () => {
  const clock = handClock();
  const all = breakers({ settings: () => ({ failures: 1, cooldownMs: 1000 }), circuit: { clock, random: () => 0.5 } });
  const seen: string[] = [];
  let next: Outcome = refuse('crashed', 'died');
  const tool = aTool({ run: () => Promise.resolve(next) });
  const call = pipeline({
    ...none,
    authorize: noted('authorize', seen),
    rateLimit: noted('rateLimit', seen),
    breaker: all.guard,
  })(tool);
  await call(aCall());
  clock.advance(1000);
  seen.length = 0;
  expect(await call(aCall({ args: { nonsense: true } }))).toMatchObject({ error: { code: 'invalid_arguments' } });
  expect(seen).toEqual(['rateLimit', '/rateLimit']);
  expect(all.get('echo')?.status().state).toBe('open');
  next = done('well');
  expect(await call(aCall())).toMatchObject({ kind: 'done' });
});

test('no guard behind validate sees other arguments than the tool [agentgateway ExtMcp]', async () => {
  const seen: unknown[] = [];
  const watch: Guard = (_tool, next) => (call) => {
    seen.push(call.args);
    return next(call);
  };
  const tool = aTool({
    run: (call) => {
      seen.push(call.args);
      return Promise.resolve(done(''));
    },
  });
  await pipeline({ ...none, authorize: watch, allowance: watch, confirm: watch, breaker: watch })(tool)(
    aCall({ args: { text: 'x' } }),
  );
  expect(new Set(seen).size).toBe(1);
});
