import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { semaphore } from './semaphore.js';

const never = new AbortController().signal;

test('slots are granted at once, waiters in order, and the queue is bounded', async () => {
  const gate = semaphore({ slots: 1, queue: 2, queueTimeoutMs: 60_000 });
  expect(gate.acquire('ada', never)).toBe(true);
  const order: string[] = [];
  const first = Promise.resolve(gate.acquire('ada', never)).then(() => order.push('first'));
  const second = Promise.resolve(gate.acquire('ada', never)).then(() => order.push('second'));
  expect(await gate.acquire('ada', never)).toBe('full');
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
  gate.acquire('ada', never);
  const caller = new AbortController();
  const waiting = gate.acquire('ada', caller.signal);
  caller.abort();
  expect(await waiting).toBe('aborted');
  expect(gate.waiting()).toBe(0);
  gate.release();
  expect(gate.active()).toBe(0);
  expect(gate.acquire('ada', never)).toBe(true);
});

test('a caller that is already aborted does not wait', async () => {
  const gate = semaphore({ slots: 1, queue: 1, queueTimeoutMs: 60_000 });
  gate.acquire('ada', never);
  expect(await gate.acquire('ada', AbortSignal.abort())).toBe('aborted');
});

test('waiting ends after the queue timeout', async () => {
  const gate = semaphore({ slots: 1, queue: 1, queueTimeoutMs: 1 });
  gate.acquire('ada', never);
  expect(await gate.acquire('ada', never)).toBe('timeout');
  expect(gate.waiting()).toBe(0);
});

/** Lets every waiter that got a slot continue. */
const settled = (): Promise<void> => new Promise(setImmediate);

/** A semaphore whose grants are recorded in order. */
function recorded(options: { slots: number; queue: number }) {
  const gate = semaphore({ ...options, queueTimeoutMs: 60_000 });
  const granted: string[] = [];
  const refused: string[] = [];
  const enter = (caller: string, signal = never): void => {
    void Promise.resolve(gate.acquire(caller, signal)).then((result) =>
      (result === true || result === 'acquired' ? granted : refused).push(caller),
    );
  };
  return { gate, granted, refused, enter };
}

test('a caller with a thousand waiting calls delays another by one turn', async () => {
  const { gate, granted, enter } = recorded({ slots: 1, queue: 2_000 });
  for (let at = 0; at < 1_001; at++) enter('bob');
  enter('carol');
  enter('carol');
  for (let at = 0; at < 4; at++) {
    gate.release();
    await settled();
  }
  expect(granted).toEqual(['bob', 'bob', 'carol', 'bob', 'carol']);
});

test('a full queue makes room for a caller with fewer waiting calls, at the cost of the longest queue', async () => {
  const { gate, granted, refused, enter } = recorded({ slots: 1, queue: 4 });
  for (let at = 0; at < 6; at++) enter('bob');
  await settled();
  expect(refused).toEqual(['bob']);
  enter('carol');
  enter('carol');
  enter('carol');
  await settled();
  expect(refused).toEqual(['bob', 'bob', 'bob', 'carol']);
  expect(gate.waiting()).toBe(4);
  for (let at = 0; at < 4; at++) {
    gate.release();
    await settled();
  }
  expect(granted).toEqual(['bob', 'bob', 'carol', 'bob', 'carol']);
});

test('among any callers, a waiting one is served within as many turns as callers wait, and no slot is lost', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ enter: fc.constantFrom('ada', 'bob', 'carol', 'dave') }) },
    { weight: 2, arbitrary: fc.constant({ release: true as const }) },
    { weight: 1, arbitrary: fc.record({ abort: fc.nat(20) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 3 }), async (steps, slots) => {
      const gate = semaphore({ slots, queue: 12, queueTimeoutMs: 60_000 });
      const waiting: { caller: string; turns: number; abort: AbortController }[] = [];
      let active = 0;
      for (const each of steps) {
        if ('enter' in each) {
          const waiter = { caller: each.enter, turns: 0, abort: new AbortController() };
          const result = gate.acquire(each.enter, waiter.abort.signal);
          if (result === true) active += 1;
          else {
            waiting.push(waiter);
            void result.then((how) => {
              waiting.splice(waiting.indexOf(waiter), 1);
              if (how !== 'acquired') return;
              active += 1;
              // Turns that went by while this was the caller's first waiting call.
              expect(waiter.turns).toBeLessThan(4);
              for (const other of waiting) if (other.caller === waiter.caller) other.turns = 0;
            });
          }
        } else if ('release' in each) {
          if (active === 0) continue;
          active -= 1;
          for (const other of waiting) other.turns += 1;
          gate.release();
        } else waiting[each.abort]?.abort.abort();
        await settled();
        expect(gate.active()).toBe(active);
        expect(gate.waiting()).toBe(waiting.length);
        expect(active).toBeLessThanOrEqual(slots);
        expect(waiting.length).toBeLessThanOrEqual(12);
        // No slot stays free while a call waits.
        if (waiting.length > 0) expect(active).toBe(slots);
      }
    }),
    { numRuns: 60 },
  );
});
