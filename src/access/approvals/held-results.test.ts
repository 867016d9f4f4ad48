import { expect, test } from 'vitest';
import { aReplica, twoReplicas } from '../../../test/support/peers.js';
import { done } from '../../core/outcome.js';
import { memoryStore } from '../../state/memory-store.js';
import { heldResults } from './held-results.js';

test('a withheld result is taken once, on any replica', async () => {
  const [a, b] = (await twoReplicas()).map((peers) => heldResults({ peers }));
  const [first, second] = [a?.add(done('one'), Infinity) ?? '', a?.add(done('two'), Infinity) ?? ''];
  expect(await b?.take(first)).toEqual(done('one'));
  expect(await b?.take(first)).toBeUndefined();
  expect(await a?.take(first)).toBeUndefined();
  const taken = await Promise.all([a?.take(second), b?.take(second), b?.take(second)]);
  expect(taken.filter((each) => each !== undefined)).toEqual([done('two')]);
});

test('a result of a replica that is gone, an expired one and an unknown one are not there', async () => {
  const store = memoryStore();
  const [first, second] = [await aReplica('a', { store }), await aReplica('b', { store })];
  let now = 0;
  const [a, b] = [heldResults({ peers: first, now: () => now }), heldResults({ peers: second })];
  const [late, lost] = [a.add(done('late'), 10), a.add(done('lost'), Infinity)];
  now = 10;
  expect(await b.take(late)).toBeUndefined();
  expect(await b.take('a.unknown')).toBeUndefined();
  await first.close();
  expect(await b.take(lost)).toBeUndefined();
  expect(await heldResults().take('a.unknown')).toBeUndefined();
});

test('the table is bounded: the oldest results are evicted', async () => {
  const held = heldResults();
  const ids = Array.from({ length: 101 }, (_, at) => held.add(done(String(at)), Infinity));
  expect(await held.take(ids[0] ?? '')).toBeUndefined();
  expect(await held.take(ids[100] ?? '')).toEqual(done('100'));
});
