import { expect, test } from 'vitest';
import type { Call } from '../core/call.js';
import { done, refuse } from '../core/outcome.js';
import { aCall, aTool, guarded, untilAborted } from '../../test/support/make.js';
import { deadline } from './deadline.js';

const seen = (call: Call) => Promise.resolve(done(String(call.timeoutMs)));

test("the caller asks, else the tool decides, and the tool's maximum holds in any case [S0.64]", async () => {
  const tool = aTool({ limits: { timeoutMs: 30_000, maxTimeoutMs: 60_000 } });
  const call = guarded([deadline()], seen, tool);
  expect(await call(aCall())).toEqual(done('30000'));
  expect(await call(aCall({ timeoutMs: 5_000 }))).toEqual(done('5000'));
  expect(await call(aCall({ timeoutMs: 9_999_999 }))).toEqual(done('60000'));
});

test('what a tool hands over when its time is over is returned with the timeout [S0.65]', async () => {
  const call = guarded(
    [deadline()],
    (inner) =>
      new Promise((resolve) => {
        inner.signal.addEventListener(
          'abort',
          () => resolve({ ...refuse('cancelled', ''), data: { stdout: 'so far' } }),
          { once: true },
        );
      }),
  );
  expect(await call(aCall({ timeoutMs: 1 }))).toMatchObject({
    kind: 'failed',
    error: { code: 'timeout' },
    data: { stdout: 'so far' },
  });
});

test('a tool that ignores its signal cannot hold the caller longer than the grace', async () => {
  const call = guarded([deadline({ graceMs: 1 })], () => new Promise(() => {}));
  expect(await call(aCall({ timeoutMs: 1 }))).toMatchObject({ error: { code: 'timeout' } });
});

test('a caller who is gone before the start costs nothing', async () => {
  let started = false;
  const call = guarded([deadline()], () => {
    started = true;
    return Promise.resolve(done(''));
  });
  expect(await call(aCall({ signal: AbortSignal.abort() }))).toMatchObject({ error: { code: 'cancelled' } });
  expect(started).toBe(false);
});

test('an abort error of a library is the deadline that caused it, not a bug', async () => {
  const call = guarded(
    [deadline()],
    (inner) =>
      new Promise((_resolve, reject) => {
        inner.signal.addEventListener('abort', () => reject(new Error('AbortError')), { once: true });
      }),
  );
  expect(await call(aCall({ timeoutMs: 1 }))).toMatchObject({ error: { code: 'timeout' } });
});

test('a real bug stays one', async () => {
  const call = guarded([deadline()], () => Promise.reject(new Error('bug')));
  await expect(call(aCall())).rejects.toThrow('bug');
});

test("nothing is left behind on the caller's signal", async () => {
  const controller = new AbortController();
  let listeners = 0;
  const add = controller.signal.addEventListener.bind(controller.signal);
  const remove = controller.signal.removeEventListener.bind(controller.signal);
  controller.signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  controller.signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  const call = guarded([deadline()], () => Promise.resolve(done('')));
  for (let i = 0; i < 5; i++) await call(aCall({ signal: controller.signal }));
  expect(listeners).toBe(0);
  await guarded([deadline({ graceMs: 1 })], untilAborted)(aCall({ signal: controller.signal, timeoutMs: 1 }));
  expect(listeners).toBe(0);
});

test('a tool that needs no native signal gets the cheap kind, and it fires all the same', async () => {
  const seen: boolean[] = [];
  const call = guarded(
    [deadline()],
    (given) => {
      seen.push(given.signal instanceof AbortSignal);
      return untilAborted(given);
    },
    aTool({ lightSignal: true }),
  );
  expect(await call(aCall({ timeoutMs: 5 }))).toMatchObject({ error: { code: 'timeout' } });
  expect(seen).toEqual([false]);
});
