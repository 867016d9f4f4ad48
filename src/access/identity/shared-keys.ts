import { sha256 } from '../../lib/hash.js';
import type { SharedCopy } from '../../state/shared-copy.js';
import type { KeyStore, StoredKey } from './keys.js';
import { generateKey, keyPrincipal, maxKeys, parseStoredKey, toStoredKey } from './keys.js';

/** How long a copy may be used. */
interface SharedKeysOptions {
  /** Longest time that the copy is used while the store cannot be read; afterwards keys are rejected. */
  readonly maxStaleMs: () => number;
  readonly now?: () => number;
}

/** Keys of callers that all replicas share; each replica reads its copy, so no request waits for the store. */
export function sharedKeys(copy: SharedCopy, { maxStaleMs, now = Date.now }: SharedKeysOptions): KeyStore {
  let known: ReadonlyMap<string, string> | undefined;
  let byHash: ReadonlyMap<string, StoredKey> = new Map();
  const current = (): ReadonlyMap<string, StoredKey> => {
    const entries = copy.entries();
    // Parsed again only if the copy changed: every request looks up a key.
    if (entries !== known) {
      byHash = new Map([...entries.values()].flatMap((text) => parseStoredKey(text)).map((key) => [key.sha256, key]));
      known = entries;
    }
    return byHash;
  };
  // A revoked key must not live on because this replica alone cannot see the revocation.
  const isStale = (): boolean => copy.staleMs() > maxStaleMs();
  const findByHash: KeyStore['findByHash'] = (hash) => {
    const kept = isStale() ? undefined : current().get(hash);
    return kept === undefined || (kept.expires !== undefined && Date.parse(kept.expires) <= now())
      ? undefined
      : keyPrincipal(kept);
  };
  return {
    list: () => [...current().values()],
    problem: () =>
      isStale()
        ? `the keys could not be read for ${Math.round(copy.staleMs() / 1000)} s and are rejected until PostgreSQL answers`
        : undefined,
    async create(wish) {
      if (copy.entries().size >= maxKeys) throw new Error(`There are ${maxKeys} keys already; revoke some`);
      const key = generateKey();
      let isNew = false;
      await copy.change(wish.name, (stored) => {
        isNew = stored === undefined;
        // `change` may run again if another replica wrote meanwhile.
        return isNew ? JSON.stringify(toStoredKey(wish, key, now())) : undefined;
      });
      return isNew ? key : undefined;
    },
    async revoke(name) {
      let existed = false;
      await copy.change(name, (stored) => {
        existed = stored !== undefined;
        return existed ? null : undefined;
      });
      return existed;
    },
    find: (key) => (key.startsWith('tgk_') ? findByHash(sha256(key)) : undefined),
    findByHash,
  };
}
