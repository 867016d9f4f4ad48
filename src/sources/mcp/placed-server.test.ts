import { expect, test } from 'vitest';
import { ada, bob, never } from '../../../test/support/make.js';
import { aReplica, sourcePeers, twoReplicas } from '../../../test/support/peers.js';
import { aPlugin, callTool } from '../../../test/support/upstream.js';
import type { PeerNetwork } from '../../cluster/peer/peers.js';
import { memoryStore } from '../../state/memory-store.js';

type Placement = 'each' | 'one' | 'session';
const sourceAt = (network: PeerNetwork, placement: Placement, sharing: 'all' | 'session' | 'principal' = 'all') =>
  aPlugin({ source: { peers: sourcePeers(network), placement, sharing } });
const pidOf = async (...args: Parameters<typeof callTool>): Promise<string> => {
  const outcome = await callTool(...args);
  const [first] = outcome.kind === 'done' ? outcome.content : [];
  if (first?.type !== 'text') throw new Error(JSON.stringify(outcome));
  return first.text;
};

test('`one` runs a server on one replica, which lists it and runs the calls of all', async () => {
  const [first, second] = await twoReplicas();
  const [a, b] = [sourceAt(first, 'one'), sourceAt(second, 'one')];
  const names = (await a.list(never)).map(({ name }) => name);
  expect((await b.list(never)).map(({ name }) => name)).toEqual(names);
  expect(await pidOf(b, 'fix__pid')).toBe(await pidOf(a, 'fix__pid'));
  expect([a.state().open, b.state().open]).toEqual([1, 0]);
});

test('`each` runs it on every replica', async () => {
  const [first, second] = await twoReplicas();
  const [a, b] = [sourceAt(first, 'each'), sourceAt(second, 'each')];
  expect(await pidOf(b, 'fix__pid')).not.toBe(await pidOf(a, 'fix__pid'));
});

test('`session` keeps a connection on the replica that opened it, and separates sessions', async () => {
  const [first, second] = await twoReplicas();
  const [a, b] = [sourceAt(first, 'session', 'session'), sourceAt(second, 'session', 'session')];
  const one = { principal: ada, session: 'one' };
  const two = { principal: ada, session: 'two' };
  const foreign = { principal: bob, session: 'one' };
  const pid = await pidOf(a, 'fix__pid', {}, one);
  expect(await pidOf(b, 'fix__pid', {}, one)).toBe(pid);
  const other = await pidOf(b, 'fix__pid', {}, two);
  expect(other).not.toBe(pid);
  expect(await pidOf(a, 'fix__pid', {}, two)).toBe(other);
  expect([pid, other]).not.toContain(await pidOf(b, 'fix__pid', {}, foreign));
});

test('the state of a server ends with its replica, which one call reports; the next starts it again', async () => {
  const store = memoryStore();
  const [first, second] = [await aReplica('a', { store }), await aReplica('b', { store })];
  const [a, b] = [sourceAt(first, 'session', 'session'), sourceAt(second, 'session', 'session')];
  const session = { session: 'one' };
  const pid = await pidOf(a, 'fix__pid', {}, session);
  await first.close();
  expect(await callTool(b, 'fix__pid', {}, session)).toMatchObject({
    error: { code: 'crashed', message: expect.stringContaining('its state is gone') as string },
  });
  expect(await pidOf(b, 'fix__pid', {}, session)).not.toBe(pid);
});

test('a replica that closes its source leaves it to another', async () => {
  const [first, second] = await twoReplicas();
  const [a, b] = [sourceAt(first, 'one'), sourceAt(second, 'one')];
  const pid = await pidOf(a, 'fix__pid');
  await a.close?.();
  expect(await pidOf(b, 'fix__pid')).not.toBe(pid);
});

test('a cancelled call is cancelled where its server runs', async () => {
  const [first, second] = await twoReplicas();
  const [a, b] = [sourceAt(first, 'one'), sourceAt(second, 'one')];
  await a.list(never);
  await b.list(never);
  const stop = new AbortController();
  const hanging = callTool(b, 'fix__hang', {}, { signal: stop.signal });
  // The server answers other calls meanwhile, so the first one has arrived.
  await pidOf(b, 'fix__pid');
  stop.abort();
  expect(await hanging).toMatchObject({ error: { code: 'cancelled' } });
  await expect.poll(() => pidOf(b, 'fix__cancelled')).toBe('1');
});

test('a changed list of the server reaches every replica', async () => {
  const [first, second] = await twoReplicas();
  const [a, b] = [sourceAt(first, 'one'), sourceAt(second, 'one')];
  await a.list(never);
  await b.list(never);
  const changed = new Promise<void>((resolve) => b.onChange?.(() => resolve()));
  await callTool(a, 'fix__flood');
  await changed;
});
