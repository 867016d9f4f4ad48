import { onTestFinished } from 'vitest';
import { openPeers, type PeerNetwork } from '../../src/cluster/peer/peers.js';
import { deriveKey, keyRing } from '../../src/lib/key-ring.js';
import type { SourcePeers } from '../../src/sources/source-peers.js';
import { memoryStore } from '../../src/state/memory-store.js';
import type { LocalStore } from '../../src/state/store.js';

interface FleetOptions {
  readonly store?: LocalStore;
  readonly secrets?: readonly string[];
  readonly onRefused?: (why: string) => void;
}

/** Keys of a secret, as a replica derives them. */
export const peerKeys = (...secrets: readonly string[]) => secrets.map((secret) => deriveKey(secret, 'peer door'));

/** A replica with a real peer door on loopback; those with the same store find one another. */
export async function aReplica(
  name: string,
  { store = memoryStore(), secrets = ['one secret'], onRefused }: FleetOptions = {},
): Promise<PeerNetwork> {
  const network = await openPeers(
    {
      replica: name,
      fast: store,
      allKeysFor: (purpose) => secrets.map((secret) => deriveKey(secret, purpose)),
    },
    { listen: '127.0.0.1:0', advertise: undefined, ...(onRefused && { onRefused }) },
  );
  onTestFinished(() => network.close());
  return network;
}

/** What the sources of a replica share with others; `lists` are those of this process. */
export const sourcePeers = (network: PeerNetwork): SourcePeers => ({
  network,
  placement: network.placement,
  stateKeys: keyRing([Buffer.alloc(32, 7)]),
  lists: {
    announce: (source) => {
      for (const { at, name, listener } of listeners) if (at !== network && name === source) listener();
    },
    listen(source, listener) {
      const entry = { at: network, name: source, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  },
});
const listeners = new Set<{ readonly at: PeerNetwork; readonly name: string; readonly listener: () => void }>();

/** Two replicas that find one another. */
export async function twoReplicas(): Promise<readonly [PeerNetwork, PeerNetwork]> {
  const store = memoryStore();
  return [await aReplica('a', { store }), await aReplica('b', { store })];
}
