import { expect, test } from 'vitest';
import { aReplica } from '../../../test/support/peers.js';
import { EngineDown } from '../../state/engine.js';
import { memoryStore } from '../../state/memory-store.js';
import { placementTable } from './placement.js';

test('of replicas that need a server at once, one runs it', async () => {
  const store = memoryStore();
  const fleet = await Promise.all(['a', 'b', 'c'].map((name) => aReplica(name, { store })));
  const holders = await Promise.all(fleet.map(({ placement }) => placement.holderOf(['browser'])));
  expect(holders.filter(({ at }) => at === 'here')).toHaveLength(1);
  const [first] = holders.flatMap((holder, at) => (holder.at === 'here' ? [fleet[at]?.replica] : []));
  expect(holders.filter((holder) => holder.at === 'replica').map(({ replica }) => replica)).toEqual([first, first]);
  expect(await fleet[0]?.placement.holderOf(['another'])).toEqual({ at: 'here' });
});

test('a replica that has ended loses its servers, and the next one learns that their state is gone', async () => {
  const store = memoryStore();
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => aReplica(name, { store })));
  await a?.placement.holderOf(['browser']);
  expect(await b?.placement.holderOf(['browser'])).toEqual({ at: 'replica', replica: 'a' });
  await a?.close();
  // One that has not looked yet; `b` trusts the address that it knows for two seconds.
  expect(await c?.placement.holderOf(['browser'])).toEqual({ at: 'here', lost: 'a' });
  expect(await c?.placement.holderOf(['browser'])).toEqual({ at: 'here' });
});

test('a replica that was started again under its name does not have the servers of its former start', async () => {
  const store = memoryStore();
  const first = await aReplica('a', { store });
  await first.placement.holderOf(['browser']);
  await first.close();
  const again = await aReplica('a', { store });
  expect(await again.placement.holderOf(['browser'])).toEqual({ at: 'here', lost: 'a' });
});

test('a released server starts elsewhere without a notice', async () => {
  const store = memoryStore();
  const [a, b] = await Promise.all(['a', 'b'].map((name) => aReplica(name, { store })));
  await a?.placement.holderOf(['browser']);
  await b?.placement.release(['browser']);
  expect(await b?.placement.holderOf(['browser'])).toEqual({ at: 'replica', replica: 'a' });
  await a?.placement.release(['browser']);
  expect(await b?.placement.holderOf(['browser'])).toEqual({ at: 'here' });
});

test('without Valkey no replica starts a second one', async () => {
  const down = () => Promise.reject(new EngineDown('Valkey does not answer'));
  const store = { get: down, put: down, add: down, swap: down, take: down };
  const directory = { find: down, forget() {}, close() {} };
  const table = placementTable({ store, directory, own: 'a i' });
  expect(await table.holderOf(['browser'])).toEqual({ at: 'unknown', message: 'Valkey does not answer' });
});
