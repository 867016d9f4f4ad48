import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { handClock } from '../../test/support/make.js';
import { callerCircuits } from './caller-circuits.js';
import type { CircuitOutcome } from './circuit.js';

function setUp(failures = 2, maxCallers = 10) {
  const clock = handClock();
  const changes: string[] = [];
  const all = callerCircuits({
    failures,
    cooldownMs: 1_000,
    jitter: 0,
    clock,
    maxCallers,
    onChange: (from, to) => changes.push(`${from} ${to}`),
  });
  const run = (caller: string, outcome: CircuitOutcome): 'ran' | number => {
    const ticket = all.admit(caller);
    if (typeof ticket === 'number') return ticket;
    ticket(outcome);
    return 'ran';
  };
  const fail = (caller: string, times = failures): void => {
    for (let i = 0; i < times; i++) run(caller, 'failure');
  };
  return { all, clock, changes, run, fail };
}

test('the failures of one caller refuse that caller only', () => {
  const { all, run, fail } = setUp();
  fail('bob', 50);
  expect(run('bob', 'success')).toBe(1_000);
  expect(run('carol', 'success')).toBe('ran');
  expect([all.status('bob').state, all.status('carol').state, all.status().state]).toEqual(['open', 'closed', 'open']);
});

test('while the circuits of two callers are open, all callers are refused until one cooldown is over', () => {
  const { all, clock, run, fail } = setUp();
  fail('bob');
  clock.advance(400);
  fail('dave');
  expect(run('carol', 'success')).toBe(600);
  expect(all.status('carol')).toMatchObject({ state: 'open', failures: 0, retryAfterMs: 600 });
  clock.advance(600);
  expect(run('carol', 'success')).toBe('ran');
});

test('a good probe of one caller closes the circuits of all', () => {
  const { all, clock, changes, run, fail } = setUp();
  fail('bob');
  clock.advance(400);
  fail('dave');
  clock.advance(600);
  expect(run('bob', 'success')).toBe('ran');
  expect(run('dave', 'success')).toBe('ran');
  expect(all.status()).toMatchObject({ state: 'closed', failures: 0, retryAfterMs: 0 });
  expect(changes).toEqual(['closed open', 'open closed']);
});

test('a success of another caller closes a circuit whose cooldown is over, so that a departed caller leaves no alarm', () => {
  const { all, clock, run, fail } = setUp();
  fail('bob');
  run('carol', 'success');
  expect(all.status().state).toBe('open');
  clock.advance(1_000);
  run('carol', 'success');
  expect(all.status().state).toBe('closed');
});

test('a neutral probe leaves the circuit half-open, and a failure opens it again', () => {
  const { all, clock, run, fail } = setUp();
  fail('bob');
  clock.advance(1_000);
  run('bob', 'neutral');
  expect(all.status().state).toBe('half_open');
  run('bob', 'failure');
  expect(all.status().state).toBe('open');
});

test('calls that started together count together', () => {
  const { all } = setUp(2);
  const tickets = [all.admit('bob'), all.admit('bob')];
  for (const ticket of tickets) if (typeof ticket !== 'number') ticket('failure');
  expect(all.status('bob').state).toBe('open');
});

test('the number of remembered callers is bounded', () => {
  const { all, run, fail } = setUp(1, 3);
  for (const caller of ['a', 'b', 'c', 'd']) {
    all.reset();
    fail(caller);
  }
  expect(run('a', 'success')).toBe('ran');
});

test('an operator reset closes the circuits of all callers', () => {
  const { all, run, fail, changes } = setUp();
  fail('bob');
  all.reset();
  expect(run('bob', 'success')).toBe('ran');
  expect(changes).toEqual(['closed open', 'open closed']);
});

test('whatever one caller does, another caller whose calls succeed is never refused', () => {
  const step = fc.oneof(
    fc.record({ hostile: fc.constantFrom<CircuitOutcome>('success', 'failure', 'neutral') }),
    fc.record({ advanceMs: fc.integer({ min: 0, max: 5_000 }) }),
    fc.record({ open: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { all, clock, run } = setUp();
      for (const each of steps) {
        if ('hostile' in each) run('bob', each.hostile);
        else if ('advanceMs' in each) clock.advance(each.advanceMs);
        else all.admit('bob'); // a call that never ends
        expect(run('carol', 'success')).toBe('ran');
      }
    }),
  );
});

test('a target that recovered is probed before the cooldown is over, and only once', () => {
  let recovery = 0;
  const clock = handClock();
  const all = callerCircuits({ failures: 2, cooldownMs: 1_000, jitter: 0, clock, recovery: () => recovery });
  const admit = (caller: string) => all.admit(caller);
  const settle = (ticket: ReturnType<typeof admit>, outcome: CircuitOutcome): void => {
    if (typeof ticket === 'number') throw new Error('refused');
    ticket(outcome);
  };
  const late = admit('bob');
  for (const outcome of ['failure', 'failure'] as const) settle(admit('bob'), outcome);
  expect(admit('bob')).toBe(1_000);
  recovery = 1;
  // A call from before the recovery that ends after it says nothing about the new server.
  settle(late, 'failure');
  expect(all.status('bob')).toMatchObject({ state: 'open', retryAfterMs: 0 });
  settle(admit('bob'), 'failure');
  recovery = 2;
  expect(admit('bob'), 'the second recovery waits for the cooldown').toBe(1_500);
  clock.advance(1_500);
  settle(admit('bob'), 'success');
  expect(all.status('bob').state).toBe('closed');
});

test('a recovery ends the outage of all callers', () => {
  let recovery = 0;
  const clock = handClock();
  const all = callerCircuits({ failures: 1, cooldownMs: 1_000, jitter: 0, clock, recovery: () => recovery });
  for (const caller of ['bob', 'dave']) {
    const ticket = all.admit(caller);
    if (typeof ticket === 'function') ticket('failure');
  }
  expect(all.admit('carol')).toBe(1_000);
  recovery = 1;
  expect(all.admit('carol')).toBeTypeOf('function');
});
