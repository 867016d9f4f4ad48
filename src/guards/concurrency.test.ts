import { expect, test } from 'vitest';
import type { Outcome } from '../core/outcome.js';
import { done } from '../core/outcome.js';
import { aCall, aTool, ada, bob, deferred, guarded } from '../../test/support/make.js';
import { concurrency, queuedCalls } from './concurrency.js';

function setUp(limits: { concurrency: number; queue: number; queueTimeoutMs?: number }) {
  const gates: ReturnType<typeof deferred<Outcome>>[] = [];
  let most = 0;
  let running = 0;
  const call = guarded(
    [concurrency],
    async () => {
      running += 1;
      most = Math.max(most, running);
      const gate = deferred<Outcome>();
      gates.push(gate);
      try {
        return await gate.promise;
      } finally {
        running -= 1;
      }
    },
    aTool({ limits: { queueTimeoutMs: 60_000, ...limits } }),
  );
  return { call, gates, most: () => most };
}

test('the one over the limit waits and then succeeds [S0.66]', async () => {
  const { call, gates, most } = setUp({ concurrency: 2, queue: 10 });
  const calls = [call(aCall()), call(aCall()), call(aCall()), call(aCall())];
  expect(gates.length).toBe(2);
  for (let i = 0; i < 4; i++) {
    gates[i]?.resolve(done(String(i)));
    await Promise.race(calls.slice(i));
    await new Promise(setImmediate);
  }
  expect((await Promise.all(calls)).map((outcome) => outcome.kind)).toEqual(['done', 'done', 'done', 'done']);
  expect(most()).toBe(2);
});

test('a full queue refuses at once with a hint when to retry [S0.66]', async () => {
  const { call, gates } = setUp({ concurrency: 1, queue: 1 });
  const first = call(aCall());
  const second = call(aCall());
  expect(await call(aCall())).toMatchObject({ error: { code: 'busy', retryAfterMs: 1000 } });
  gates[0]?.resolve(done(''));
  await first;
  await new Promise(setImmediate);
  gates[1]?.resolve(done(''));
  expect(await second).toMatchObject({ kind: 'done' });
});

test('no caller waits longer than the queue timeout', async () => {
  const { call, gates } = setUp({ concurrency: 1, queue: 1, queueTimeoutMs: 1 });
  const first = call(aCall());
  expect(await call(aCall())).toMatchObject({ error: { code: 'busy' } });
  gates[0]?.resolve(done(''));
  await first;
});

test('who hangs up leaves the line and takes no slot', async () => {
  const { call, gates } = setUp({ concurrency: 1, queue: 1 });
  const first = call(aCall());
  const leaving = new AbortController();
  const second = call(aCall({ signal: leaving.signal }));
  leaving.abort();
  expect(await second).toMatchObject({ error: { code: 'cancelled' } });
  const third = call(aCall());
  gates[0]?.resolve(done(''));
  await first;
  await new Promise(setImmediate);
  expect(gates.length).toBe(2);
  gates[1]?.resolve(done(''));
  expect(await third).toMatchObject({ kind: 'done' });
});

test('a handler that throws gives its slot back', async () => {
  const call = guarded(
    [concurrency],
    () => Promise.reject(new Error('bug')),
    aTool({ limits: { concurrency: 1, queue: 0 } }),
  );
  await expect(call(aCall())).rejects.toThrow('bug');
  await expect(call(aCall())).rejects.toThrow('bug');
});

test('a tool composed again after a reload keeps its slots: running calls still count', async () => {
  const gate = deferred<Outcome>();
  const tool = aTool({ limits: { concurrency: 1, queue: 0, queueTimeoutMs: 60_000 }, run: () => gate.promise });
  const before = guarded([concurrency], tool.run, tool);
  const first = before(aCall());
  const after = guarded([concurrency], tool.run, { ...tool });
  expect(await after(aCall())).toMatchObject({ error: { code: 'busy' } });
  const raised = guarded([concurrency], tool.run, { ...tool, limits: { ...tool.limits, concurrency: 2 } });
  const second = raised(aCall());
  gate.resolve(done(''));
  expect([await first, await second].map(({ kind }) => kind)).toEqual(['done', 'done']);
});

test('a caller with many waiting calls delays another principal by one turn', async () => {
  const order: string[] = [];
  const gates: ReturnType<typeof deferred<Outcome>>[] = [];
  const call = guarded(
    [concurrency],
    ({ principal }) => {
      order.push(principal.id);
      const gate = deferred<Outcome>();
      gates.push(gate);
      return gate.promise;
    },
    aTool({ limits: { concurrency: 1, queue: 8, queueTimeoutMs: 60_000 } }),
  );
  const all = [bob, bob, bob, bob, ada].map((principal) => call(aCall({ principal })));
  for (let at = 0; at < all.length; at++) {
    gates[at]?.resolve(done(''));
    await new Promise(setImmediate);
  }
  await Promise.all(all);
  expect(order).toEqual(['bob', 'bob', 'ada', 'bob', 'bob']);
});

test('a full queue and a wait that took too long have different messages, and waiting calls are counted', async () => {
  const gate = deferred<Outcome>();
  const tool = aTool({ run: () => gate.promise, limits: { concurrency: 1, queue: 1, queueTimeoutMs: 5 } });
  const call = guarded([concurrency], tool.run, tool);
  const running = call(aCall());
  expect(queuedCalls([tool])).toBe(0);
  const waiting = call(aCall());
  expect(queuedCalls([tool])).toBe(1);
  expect(await call(aCall())).toMatchObject({
    error: { code: 'busy', message: expect.stringContaining('queue is full') },
  });
  expect(await waiting).toMatchObject({
    error: { code: 'busy', message: 'echo was busy for 5 ms', retryAfterMs: 1_000 },
  });
  gate.resolve(done('x'));
  expect(await running).toMatchObject({ kind: 'done' });
});
