import { expect, test } from 'vitest';
import type { Outcome } from '../core/outcome.js';
import { done, refuse } from '../core/outcome.js';
import { aCall, aTool, ada, bob, deferred, guarded, handClock, untilAborted } from '../../test/support/make.js';
import { breakers, shownBreaker } from './breaker.js';
import { deadline } from './deadline.js';

function setUp(failures = 2) {
  const clock = handClock();
  const changes: string[] = [];
  const all = breakers({
    settings: () => ({ failures, cooldownMs: 60_000 }),
    circuit: { clock, random: () => 0.5 },
    onChange: (tool, from, to) => changes.push(`${tool} ${from} ${to}`),
  });
  return { all, clock, changes };
}

test('timeouts open the breaker: the reference implementation stayed closed for ever [S0.87]', async () => {
  const { all } = setUp(5);
  const call = guarded([all.guard, deadline({ graceMs: 1 })], untilAborted, aTool({ limits: { timeoutMs: 1 } }));
  for (let i = 0; i < 5; i++) expect(await call(aCall())).toMatchObject({ error: { code: 'timeout' } });
  expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
});

test('an open breaker recovers by one good probe: the reference implementation never did [S0.87]', async () => {
  const { all, clock, changes } = setUp(1);
  let next: Outcome = refuse('crashed', 'died');
  const call = guarded([all.guard], () => Promise.resolve(next));
  await call(aCall());
  expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open', retryAfterMs: 60_000 } });
  clock.advance(60_000);
  next = done('well');
  expect(await call(aCall())).toMatchObject({ kind: 'done' });
  expect(all.get('echo')?.status().state).toBe('closed');
  expect(changes).toEqual(['echo closed open', 'echo open half_open', 'echo half_open closed']);
});

test('while open nothing is started, and the caller learns when to come back [S0.88]', async () => {
  const { all } = setUp(1);
  let started = 0;
  const call = guarded([all.guard], () => {
    started += 1;
    return Promise.resolve(refuse('crashed', 'died'));
  });
  await call(aCall());
  const refused = await call(aCall());
  expect(refused).toMatchObject({ error: { code: 'circuit_open', hint: 'Try again in 60 s' } });
  expect(started).toBe(1);
});

test('half-open lets exactly one probe through, whatever other calls arrive meanwhile [S0.92] [S2.9]', async () => {
  const { all, clock } = setUp(1);
  const gate = deferred<Outcome>();
  let started = 0;
  let answer: () => Promise<Outcome> = () => Promise.resolve(refuse('crashed', 'died'));
  const call = guarded([all.guard], () => {
    started += 1;
    return answer();
  });
  await call(aCall());
  clock.advance(60_000);
  answer = () => gate.promise;
  const probe = call(aCall());
  const others = await Promise.all([call(aCall()), call(aCall()), call(aCall())]);
  expect(others.map((other) => other.kind === 'failed' && other.error.code)).toEqual([
    'circuit_open',
    'circuit_open',
    'circuit_open',
  ]);
  expect(started).toBe(2);
  gate.resolve(done('well'));
  expect(await probe).toMatchObject({ kind: 'done' });
});

test('a failed probe lengthens the rest by half each time, up to five minutes, and a good one shortens it again [S0.92]', async () => {
  const { all, clock } = setUp(1);
  let next: Outcome = refuse('crashed', 'died');
  const call = guarded([all.guard], () => Promise.resolve(next));
  await call(aCall());
  const rests: number[] = [];
  for (let i = 0; i < 7; i++) {
    const rest = all.get('echo')?.status().retryAfterMs ?? 0;
    rests.push(rest);
    clock.advance(rest);
    await call(aCall());
  }
  expect(rests.map(Math.round)).toEqual([60_000, 90_000, 135_000, 202_500, 300_000, 300_000, 300_000]);
  clock.advance(300_000);
  next = done('well');
  await call(aCall());
  next = refuse('crashed', 'died');
  await call(aCall());
  expect(all.get('echo')?.status().retryAfterMs).toBe(60_000);
});

test('the rest varies by a tenth so that many gateways do not probe at once [S0.92]', async () => {
  const clock = handClock();
  const rest = async (random: number): Promise<number> => {
    const all = breakers({
      settings: () => ({ failures: 1, cooldownMs: 60_000 }),
      circuit: { clock, random: () => random },
    });
    await guarded([all.guard], () => Promise.resolve(refuse('crashed', 'died')))(aCall());
    return all.get('echo')?.status().retryAfterMs ?? 0;
  };
  expect([await rest(0), await rest(1)].map(Math.round)).toEqual([54_000, 66_000]);
});

test.each(['invalid_arguments', 'execution_failed', 'cancelled', 'rate_limited', 'upstream_error'] as const)(
  '%s does not count against the tool [S0.89] [S2.12]',
  async (code) => {
    const { all } = setUp(1);
    const call = guarded([all.guard], () => Promise.resolve(refuse(code, 'no')));
    for (let i = 0; i < 3; i++) expect(await call(aCall())).toMatchObject({ error: { code } });
    expect(all.get('echo')?.status().state).toBe('closed');
  },
);

test.each(['timeout', 'crashed', 'network_error', 'resource_exhausted', 'internal'] as const)(
  '%s counts against the tool [S0.89]',
  async (code) => {
    const { all } = setUp(1);
    await guarded([all.guard], () => Promise.resolve(refuse(code, 'no')))(aCall());
    expect(all.get('echo')?.status().state).toBe('open');
  },
);

test('one success forgets the failures before it [S2.10]', async () => {
  const { all } = setUp(2);
  const answers: Outcome[] = [refuse('crashed', ''), done('ok'), refuse('crashed', '')];
  const call = guarded([all.guard], () => Promise.resolve(answers.shift() ?? done('')));
  for (let i = 0; i < 3; i++) await call(aCall());
  expect(all.get('echo')?.status().state).toBe('closed');
});

test('a caller who hangs up does not count against the tool, a timeout does', async () => {
  const { all } = setUp(1);
  const call = guarded([all.guard, deadline({ graceMs: 1 })], untilAborted, aTool({ limits: { timeoutMs: 50 } }));
  expect(await call(aCall({ signal: AbortSignal.abort() }))).toMatchObject({ error: { code: 'cancelled' } });
  expect(await call(aCall())).toMatchObject({ error: { code: 'timeout' } });
  expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
});

test('a probe that was cancelled gives the permit back', async () => {
  const { all, clock } = setUp(1);
  let next: Outcome = refuse('crashed', 'died');
  const call = guarded([all.guard], () => Promise.resolve(next));
  await call(aCall());
  clock.advance(60_000);
  next = refuse('cancelled', 'hung up');
  await call(aCall());
  expect(all.get('echo')?.status().state).toBe('half_open');
  next = done('well');
  expect(await call(aCall())).toMatchObject({ kind: 'done' });
});

test('a caller who hangs up during the probe does not close the breaker: the next failure opens it again', async () => {
  const { all, clock } = setUp(3);
  let next: Outcome = refuse('crashed', 'died');
  const call = guarded([all.guard], () => Promise.resolve(next));
  for (let i = 0; i < 3; i++) await call(aCall());
  clock.advance(60_000);
  next = refuse('cancelled', 'hung up');
  await call(aCall());
  next = refuse('crashed', 'died');
  await call(aCall());
  expect(all.get('echo')?.status().state).toBe('open');
  expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
});

test('a deadline shorter than the default of the tool does not count against it', async () => {
  const { all } = setUp(1);
  const call = guarded([all.guard, deadline({ graceMs: 1 })], untilAborted, aTool({ limits: { timeoutMs: 20 } }));
  for (let i = 0; i < 5; i++) expect(await call(aCall({ timeoutMs: 1 }))).toMatchObject({ error: { code: 'timeout' } });
  expect(all.get('echo')?.status().state).toBe('closed');
  expect(await call(aCall({ timeoutMs: 20 }))).toMatchObject({ error: { code: 'timeout' } });
  expect(all.get('echo')?.status().state).toBe('open');
});

test('a default above the maximum counts when the maximum was granted', async () => {
  const { all } = setUp(1);
  const limits = { timeoutMs: 60_000, maxTimeoutMs: 2 };
  const call = guarded([all.guard, deadline({ graceMs: 1 })], untilAborted, aTool({ limits }));
  await call(aCall({ timeoutMs: 2 }));
  expect(all.get('echo')?.status().state).toBe('open');
});

test('one caller opens the breaker for itself and not for others', async () => {
  const { all } = setUp(2);
  const call = guarded([all.guard], ({ principal }) =>
    Promise.resolve(principal === bob ? refuse('crashed', 'died') : done('well')),
  );
  for (let i = 0; i < 2; i++) await call(aCall({ principal: bob }));
  expect(await call(aCall({ principal: bob }))).toMatchObject({ error: { code: 'circuit_open' } });
  expect(await call(aCall({ principal: ada }))).toMatchObject({ kind: 'done' });
  expect(all.get('echo')?.status('ada').state).toBe('closed');
  expect(all.get('echo')?.status('bob').state).toBe('open');
});

test('an operator may reset a breaker [S0.90]', async () => {
  const { all } = setUp(1);
  let next: Outcome = refuse('crashed', 'died');
  const call = guarded([all.guard], () => Promise.resolve(next));
  await call(aCall());
  all.get('echo')?.reset();
  next = done('well');
  expect(await call(aCall())).toMatchObject({ kind: 'done' });
});

test('a handler that throws counts as a failure and does not leave the probe taken', async () => {
  const { all, clock } = setUp(1);
  const call = guarded([all.guard], () => Promise.reject(new Error('bug')));
  await expect(call(aCall())).rejects.toThrow('bug');
  clock.advance(60_000);
  await expect(call(aCall())).rejects.toThrow('bug');
  expect(all.get('echo')?.status().state).toBe('open');
});

test('a tool that is composed again keeps its open breaker; one that no longer exists loses it', async () => {
  const { all } = setUp(1);
  const crash = (): Promise<Outcome> => Promise.resolve(refuse('crashed', 'died'));
  await guarded([all.guard], crash)(aCall());
  expect(await guarded([all.guard], crash)(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
  all.retainOnly(new Set(['echo']));
  expect(all.get('echo')?.status().state).toBe('open');
  all.retainOnly(new Set(['other']));
  expect(all.get('echo')).toBeUndefined();
});

test('the errors that a tool declares count, and others that usually count do not', async () => {
  const { all } = setUp(1);
  let next: Outcome = refuse('timeout', 'slow');
  const tool = aTool({ breaker: { counts: ['execution_failed'] } });
  const call = guarded([all.guard], () => Promise.resolve(next), tool);
  await call(aCall());
  expect(all.get('echo')?.status().failures).toBe(0);
  next = refuse('execution_failed', 'exit code 1');
  await call(aCall());
  expect(await call(aCall())).toMatchObject({ error: { code: 'circuit_open' } });
});

test('the shown breaker is that of the tool, or of the service behind it if only that one refuses', async () => {
  const { all } = setUp(1);
  const origin = (state: 'open' | 'closed') => ({
    url: 'https://api.example',
    reset() {},
    status: () => ({ state, failures: 7, retryAfterMs: 5, threshold: 5 }),
  });
  expect(shownBreaker(all, aTool(), undefined)).toEqual({
    state: 'closed',
    failures: 0,
    retryAfterMs: 0,
    threshold: 1,
    cooldownMs: 60_000,
  });
  expect(shownBreaker(all, aTool({ origin: origin('closed') }), undefined).failures).toBe(0);
  expect(shownBreaker(all, aTool({ origin: origin('open') }), undefined)).toMatchObject({
    state: 'open',
    failures: 7,
    origin: 'https://api.example',
  });
  await guarded([all.guard], () => Promise.resolve(refuse('crashed', 'died')))(aCall());
  const own = shownBreaker(all, aTool({ origin: origin('open') }), ada.id);
  expect(own).toMatchObject({ state: 'open', failures: 1 });
  expect(own).not.toHaveProperty('origin');
});
