import { expect, test } from 'vitest';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { done, refuse } from '../core/outcome.js';
import type { StageRecorder } from '../core/stage.js';
import type { Tool } from '../core/tool.js';
import { tokenBucket } from '../lib/token-bucket.js';
import { aCall, aTool, handClock } from '../../test/support/make.js';
import { breakers } from './breaker.js';
import type { GuardParts } from './pipeline.js';
import { guardOrder, pipeline } from './pipeline.js';

const pass: Guard = (_tool, next) => (call) => next(call);

/** A part for each guard that needs one, so that all of them are in the chain. */
const parts = (): GuardParts => ({
  journal: { problem: () => undefined, append: () => {} },
  metrics: { started: () => {}, ended: () => {} },
  trace: pass,
  lines: { started: () => {}, ended: () => {} },
  faults: { fault: () => {} },
  bucket: tokenBucket({ maxKeys: 10 }),
  authorizer: { decide: () => undefined },
  extensions: [pass],
  allowances: { take: () => undefined },
  approvalPolicy: { requirement: () => undefined },
  approvals: {
    check: (call) => Promise.resolve({ kind: 'given', call }),
    attach: (question) => Promise.resolve(question),
    withoutOwnAnswers: (call) => call,
  },
  flows: { enter: () => ({ leave: () => {} }), note: () => {} },
  breakers: breakers({ settings: () => ({ failures: 5, cooldownMs: 1000 }) }),
});

/** Notes the stages of a call: its name at the entry, `/name` at the end, `!name` where a stage answered by itself. */
function stagesSeen(): StageRecorder & { readonly seen: string[] } {
  const seen: string[] = [];
  return {
    seen,
    isActive: () => true,
    begin() {
      const names: string[] = [];
      return {
        entered(position, stage) {
          names[position] = stage;
          seen.push(stage);
        },
        left: (position, _outcome, answered) => void seen.push(`${answered ? '!' : '/'}${names[position]}`),
      };
    },
  };
}

const vetted = (): Tool => {
  const { input, ...rest } = aTool();
  return { ...rest, input: { ...input, vet: (args) => Promise.resolve({ ok: true, value: args }) } };
};

test('the order is audit, metrics, trace, log, contain, rate, validate, authorize, extensions, allowance, confirm, flow, breaker, slots, deadline, vet, sanitize, run, and back [S0.6]', async () => {
  const recorder = stagesSeen();
  await pipeline(parts(), recorder)(vetted())(aCall());
  const order =
    'audit metrics trace callLog contain rateLimit validate authorize extensions allowance confirm flow breaker concurrency deadline vet sanitize';
  const names = order.split(' ');
  expect(guardOrder.map(({ name }) => name)).toEqual(names);
  expect(recorder.seen).toEqual([...names, 'run', '!run', ...names.toReversed().map((name) => `/${name}`)]);
});

test('every guard is in the chain only with its parts; without any, those that need none remain', async () => {
  const recorder = stagesSeen();
  await pipeline({}, recorder)(vetted())(aCall());
  expect(recorder.seen.filter((name) => /^\w/.test(name))).toEqual(
    'validate concurrency deadline vet sanitize run'.split(' '),
  );
});

test('bad input counts against the rate and reaches neither authorize, confirm, breaker nor a slot; it takes no half-open probe [S0.2] [S0.7]', async () => {
  const clock = handClock();
  const all = breakers({ settings: () => ({ failures: 1, cooldownMs: 1000 }), circuit: { clock, random: () => 0.5 } });
  const recorder = stagesSeen();
  let next: Outcome = refuse('crashed', 'died');
  const tool = aTool({ run: () => Promise.resolve(next) });
  const { journal: _journal, ...rest } = parts();
  const call = pipeline({ ...rest, breakers: all }, recorder)(tool);
  await call(aCall());
  clock.advance(1000);
  recorder.seen.length = 0;
  expect(await call(aCall({ args: { nonsense: true } }))).toMatchObject({ error: { code: 'invalid_arguments' } });
  expect(recorder.seen).toContain('rateLimit');
  expect(recorder.seen.find((name) => name.startsWith('!'))).toBe('!validate');
  expect(recorder.seen).not.toContain('authorize');
  expect(all.get('echo')?.status().state).toBe('open');
  next = done('well');
  expect(await call(aCall())).toMatchObject({ kind: 'done' });
});

test('no guard behind validate sees other arguments than the tool [agentgateway ExtMcp]', async () => {
  const seen = new Map<string, unknown>();
  const recorder: StageRecorder = {
    isActive: () => true,
    begin: () => ({ entered: (_position, stage, call) => void seen.set(stage, call.args), left: () => {} }),
  };
  await pipeline(parts(), recorder)(aTool())(aCall({ args: { text: 'x' } }));
  const behind = [...seen].slice([...seen.keys()].indexOf('validate') + 1);
  expect(behind.map(([stage]) => stage)).toContain('run');
  expect(new Set(behind.map(([, args]) => args)).size).toBe(1);
});
