import { expect, test } from 'vitest';
import { circuit, type CircuitOutcome } from './circuit.js';

const setUp = () => {
  let now = 0;
  const changes: string[] = [];
  const breaker = circuit({
    failures: 2,
    cooldownMs: 1_000,
    jitter: 0,
    backoff: 2,
    maxCooldownMs: 3_000,
    clock: () => now,
    onChange: (from, to) => changes.push(`${from} to ${to}`),
  });
  const run = (outcome: CircuitOutcome): void => {
    const record = breaker.admit();
    if (typeof record === 'number') throw new Error('the circuit is open');
    record(outcome);
  };
  return { breaker, changes, run, advance: (ms: number) => void (now += ms) };
};

test('consecutive failures open the circuit; a success in between resets the count', () => {
  const { breaker, run } = setUp();
  run('failure');
  run('success');
  run('failure');
  expect(breaker.state()).toBe('closed');
  run('failure');
  expect(breaker.state()).toBe('open');
  expect(breaker.admit()).toBe(1_000);
});

test('after the cooldown exactly one probe passes, and its success closes the circuit', () => {
  const { breaker, run, advance, changes } = setUp();
  run('failure');
  run('failure');
  advance(1_000);
  const probe = breaker.admit();
  expect(typeof probe).toBe('function');
  expect(typeof breaker.admit()).toBe('number');
  if (typeof probe === 'function') probe('success');
  expect(breaker.state()).toBe('closed');
  expect(changes).toEqual(['closed to open', 'open to half_open', 'half_open to closed']);
});

test('a neutral probe leaves the circuit half-open for the next one', () => {
  const { breaker, run, advance } = setUp();
  run('failure');
  run('failure');
  advance(1_000);
  run('neutral');
  expect(breaker.state()).toBe('half_open');
  run('success');
  expect(breaker.state()).toBe('closed');
});

test('each failed probe lengthens the cooldown up to the maximum', () => {
  const { breaker, run, advance } = setUp();
  run('failure');
  run('failure');
  for (const cooldown of [1_000, 2_000, 3_000]) {
    expect(breaker.retryAfterMs()).toBe(cooldown);
    advance(cooldown);
    run('failure');
  }
  expect(breaker.retryAfterMs()).toBe(3_000);
});

test('a call that began before a transition does not count after it', () => {
  const { breaker, run } = setUp();
  const early = breaker.admit();
  run('failure');
  run('failure');
  breaker.reset();
  run('failure');
  if (typeof early === 'function') early('failure');
  expect(breaker.state()).toBe('closed');
});
