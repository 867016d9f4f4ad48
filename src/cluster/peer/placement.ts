import { sha256 } from '../../lib/hash.js';
import { monotonic } from '../../lib/clock.js';
import { lru } from '../../lib/lru.js';
import type { Placement } from '../../sources/source-peers.js';
import { EngineDown } from '../../state/engine.js';
import type { FastStore } from '../../state/valkey/valkey-store.js';
import type { PeerDirectory } from './directory.js';

interface PlacementOptions {
  readonly store: FastStore;
  readonly directory: PeerDirectory;
  /** Name and incarnation of this replica. */
  readonly own: string;
  readonly now?: () => number;
}

const space = 'placement';
const lifeMs = 86_400_000;
const renewMs = 600_000;
const maxRenewed = 100_000;
const maxLooks = 3;

/**
 * Which replica runs what exists once in the cluster, in Valkey. The first one that needs it takes it, and has it until it ends; a
 * hash over the replicas would move running servers, and lose their state, whenever a replica is added.
 */
export function placementTable({ store, directory, own, now = Date.now }: PlacementOptions): Placement {
  const expiry = () => ({ expiresAt: now() + lifeMs });
  /** Servers that run here, and when that was last written. */
  const renewed = lru<string, number>(maxRenewed);

  async function look(key: string): ReturnType<Placement['holderOf']> {
    for (let attempt = 0; attempt < maxLooks; attempt += 1) {
      const found = await store.get(space, key);
      if (found === undefined || found === '') {
        const isTaken =
          found === undefined
            ? await store.add(space, key, own, expiry())
            : await store.swap(space, key, found, own, expiry());
        if (!isTaken) continue;
        renewed.set(key, monotonic());
        return { at: 'here' };
      }
      if (found === own) {
        if (monotonic() - (renewed.get(key) ?? -Infinity) < renewMs) return { at: 'here' };
        if (!(await store.swap(space, key, own, own, expiry()))) continue;
        renewed.set(key, monotonic());
        return { at: 'here' };
      }
      const [replica = '', incarnation] = found.split(' ');
      if ((await directory.find(replica))?.incarnation === incarnation) return { at: 'replica', replica };
      if (!(await store.swap(space, key, found, own, expiry()))) continue;
      renewed.set(key, monotonic());
      return { at: 'here', lost: replica };
    }
    return { at: 'unknown', message: 'replicas disagree about where it runs' };
  }
  const keyOf = (what: readonly string[]): string => sha256(JSON.stringify(what));
  return {
    async holderOf(what) {
      try {
        return await look(keyOf(what));
      } catch (error) {
        if (!(error instanceof EngineDown)) throw error;
        return { at: 'unknown', message: error.message };
      }
    },
    async release(what) {
      const key = keyOf(what);
      renewed.delete(key);
      await Promise.resolve(store.swap(space, key, own, '', expiry())).catch(() => false);
    },
  };
}
