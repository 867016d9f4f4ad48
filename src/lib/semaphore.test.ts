import { expect, test } from 'vitest';
import { semaphore } from './semaphore.js';

const never = new AbortController().signal;

test('slots are granted at once, waiters in order, and the queue is bounded', async () => {
  const gate = semaphore({ slots: 1, queue: 2, queueTimeoutMs: 60_000 });
  expect(gate.acquire(never)).toBe(true);
  const order: string[] = [];
  const first = Promise.resolve(gate.acquire(never)).then(() => order.push('first'));
  const second = Promise.resolve(gate.acquire(never)).then(() => order.push('second'));
  expect(await gate.acquire(never)).toBe('full');
  expect([gate.active(), gate.waiting()]).toEqual([1, 2]);
  gate.release();
  await first;
  gate.release();
  await second;
  expect(order).toEqual(['first', 'second']);
  gate.release();
  expect([gate.active(), gate.waiting()]).toEqual([0, 0]);
});

test('an aborted waiter leaves the queue and does not take a slot', async () => {
  const gate = semaphore({ slots: 1, queue: 1, queueTimeoutMs: 60_000 });
  gate.acquire(never);
  const caller = new AbortController();
  const waiting = gate.acquire(caller.signal);
  caller.abort();
  expect(await waiting).toBe('aborted');
  expect(gate.waiting()).toBe(0);
  gate.release();
  expect(gate.active()).toBe(0);
  expect(gate.acquire(never)).toBe(true);
});

test('a caller that is already aborted does not wait', async () => {
  const gate = semaphore({ slots: 1, queue: 1, queueTimeoutMs: 60_000 });
  gate.acquire(never);
  expect(await gate.acquire(AbortSignal.abort())).toBe('aborted');
});

test('waiting ends after the queue timeout', async () => {
  const gate = semaphore({ slots: 1, queue: 1, queueTimeoutMs: 1 });
  gate.acquire(never);
  expect(await gate.acquire(never)).toBe('timeout');
  expect(gate.waiting()).toBe(0);
});
