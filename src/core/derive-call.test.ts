import { expect, test } from 'vitest';
import { aCall } from '../../test/support/make.js';
import type { Call } from './call.js';
import type { CallChanges } from './derive-call.js';
import { deriveCall } from './derive-call.js';

/** Every field is set, so that a copy that forgets one is noticed; a field added to `Call` must be added here to compile. */
const full: { readonly [Key in keyof Call]-?: NonNullable<Call[Key]> } = {
  id: 'id',
  tool: 'echo',
  principal: aCall().principal,
  via: 'rest',
  peer: '198.51.100.7',
  args: { text: 'a' },
  given: { text: 'raw' },
  receivedAt: 1,
  signal: new AbortController().signal,
  correlationId: 'c1',
  profile: 'ops',
  timeoutMs: 5,
  trace: { traceparent: '00-1-2-01' },
  confirmation: { answers: {}, state: 's' },
  ticket: 't',
  session: 'chat',
  back: {},
  canSee: () => true,
  subscriber: { changed: () => undefined, opened: () => undefined },
  meta: { a: 1 },
};
const keys = Object.keys(full) as (keyof Call)[];
const fieldsOf = (call: Call): Record<string, unknown> => Object.fromEntries(keys.map((key) => [key, call[key]]));

test.each<[string, CallChanges]>([
  ['nothing', {}],
  ['arguments and timeout', { args: { other: 1 }, timeoutMs: 7 }],
  ['the trace', { trace: { traceparent: '00-3-4-01' } }],
  ['the confirmation', { confirmation: { answers: {}, state: '' } }],
  ['the back channel', { back: { log: () => undefined } }],
])('a derived call that replaces %s keeps every other field', (_what, changes) => {
  const once = deriveCall(full, changes);
  expect(fieldsOf(once)).toEqual({ ...full, ...changes });
  expect(fieldsOf(deriveCall(once, {}))).toEqual({ ...full, ...changes });
});

test('a confirmation can be taken away', () => {
  expect(deriveCall(full, { confirmation: undefined }).confirmation).toBeUndefined();
});

test('the signal of a derived call is created only when it is read, also through further copies', () => {
  let reads = 0;
  const signalOf = {
    get signal() {
      reads += 1;
      return AbortSignal.abort();
    },
  };
  const copy = deriveCall(deriveCall(full, { signalOf, timeoutMs: 9 }), { back: {} });
  expect(reads).toBe(0);
  expect(copy.signal.aborted).toBe(true);
  expect(copy.timeoutMs).toBe(9);
});
