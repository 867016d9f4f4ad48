import { expect, test } from 'vitest';
import { aCall } from '../../test/support/make.js';
import type { Call } from './call.js';
import { withArgs, withBackChannel, withSignal } from './derive-call.js';

/** Every optional field is set, so that a copy that forgets one is noticed. */
const full: Required<Call> = {
  ...aCall(),
  profile: 'ops',
  timeoutMs: 5,
  trace: { traceparent: '00-1-2-01' },
  confirmation: { answers: {}, state: 's' },
  ticket: 't',
  session: 'chat',
  back: {},
  canSee: () => true,
  meta: { a: 1 },
};

test('copies of a call keep every other field', () => {
  const signal = new AbortController().signal;
  const args = { other: 1 };
  expect(withArgs(full, args, 7)).toEqual({ ...full, args, timeoutMs: 7 });
  const back = { log: () => undefined };
  expect(withBackChannel(full, back)).toEqual({ ...full, back });
  const copy = withSignal(full, { signal }, 9);
  for (const key of Object.keys(full) as (keyof Call)[])
    expect([key, copy[key]]).toEqual([key, { ...full, signal, timeoutMs: 9 }[key]]);
});

test('the signal of a copy is created only when it is read', () => {
  let reads = 0;
  const source = {
    get signal() {
      reads += 1;
      return AbortSignal.abort();
    },
  };
  const copy = withSignal(full, source, 9);
  expect(reads).toBe(0);
  expect(copy.signal.aborted).toBe(true);
});
