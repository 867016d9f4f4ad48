import { expect, test } from 'vitest';
import { aCall } from '../../../../test/support/make.js';
import { keyRing } from '../../../lib/key-ring.js';
import { carriedStates } from './carried-state.js';

const request = { method: 'tools/call', params: { name: 'x', arguments: { b: 1, a: 2 } } };
const answering = (state: string, id = 'a') =>
  aCall({ confirmation: { state, answers: {} }, principal: { ...aCall().principal, id } });

test('a state is opened for the same principal and request, in any order of keys', () => {
  const states = carriedStates({ source: 's' });
  const sealed = states.seal(answering(''), request, { upstream: 'u' });
  const reordered = { ...request, params: { arguments: { a: 2, b: 1 }, name: 'x' } };
  expect(states.open(answering(sealed), reordered)).toMatchObject({ upstream: 'u' });
});

test.each([
  { what: 'another principal', principal: 'b' },
  { what: 'another request', params: { name: 'y' } },
  { what: 'a modified state', modify: (sealed: string) => `${sealed.slice(0, -4)}AAAA` },
])('$what opens nothing', ({ principal = 'a', params = request.params, modify = (sealed: string) => sealed }) => {
  const states = carriedStates({ source: 's' });
  const sealed = modify(states.seal(answering(''), request, {}));
  expect(states.open(answering(sealed, principal), { ...request, params })).toBe('invalid');
});

test('a state expires, and one of a guard is left alone', () => {
  let now = 0;
  const states = carriedStates({ source: 's', now: () => now });
  const sealed = states.seal(answering(''), request, {});
  now = 600_000;
  expect(states.open(answering(sealed), request)).toBe('invalid');
  expect(states.open(answering('guard-state'), request)).toBeUndefined();
});

test('replicas with the same keys open the states of one another, and never those of another source', () => {
  const keys = keyRing([Buffer.alloc(32, 7)]);
  const sealed = carriedStates({ source: 's', keys }).seal(answering(''), request, { replica: 'r1' });
  expect(carriedStates({ source: 's', keys }).open(answering(sealed), request)).toMatchObject({ replica: 'r1' });
  expect(carriedStates({ source: 'other', keys }).open(answering(sealed), request)).toBe('invalid');
  expect(carriedStates({ source: 's' }).open(answering(sealed), request)).toBe('invalid');
});
