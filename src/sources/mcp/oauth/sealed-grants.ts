import { openText, sealText, type KeyRing } from '../../../lib/key-ring.js';
import type { Grant, GrantStore } from './tokens.js';

/** Where sealed grants are kept: shared by replicas, one of which at a time may replace them. */
interface SealedTexts {
  read(source: string): Promise<string | undefined>;
  write(source: string, text: string): Promise<void>;
  exclusively<T>(source: string, work: () => Promise<T>): Promise<T>;
}

interface KnownGrants {
  readonly grants: readonly Grant[];
  readonly at: number;
}

/** Time that grants are used without a look at the store; a login elsewhere takes effect after it. */
const freshMs = 1_000;

/**
 * OAuth grants of all replicas, encrypted with the cluster key: a copy of the database holds no token. The source is part of what is
 * authenticated, so a row that is moved to another source cannot be opened. While the store is down, grants that were read before are
 * used until their access token expires.
 */
export function sealedGrants(texts: SealedTexts, keys: KeyRing, now: () => number = Date.now): GrantStore {
  const known = new Map<string, KnownGrants>();
  /** Refreshed grants that could not be stored yet; the authorization server has already revoked the stored ones. */
  const unsaved = new Map<string, readonly Grant[]>();
  const locked = new Set<string>();
  const prefixOf = (source: string): string => `grants:${source}:`;

  const save = async (source: string, grants: readonly Grant[]): Promise<void> => {
    known.set(source, { grants, at: now() });
    unsaved.set(source, grants);
    await texts.write(source, sealText(keys, prefixOf(source), JSON.stringify(grants)));
    if (unsaved.get(source) === grants) unsaved.delete(source);
  };
  const open = (source: string, text: string): readonly Grant[] => {
    const opened = openText(keys, prefixOf(source), text);
    if (opened === undefined)
      throw new Error(
        `the stored logins of ${source} were sealed with another secret; set cluster.previous_secret or log in again`,
      );
    // Sealed with the former secret, which will be removed: seal again while both are known.
    if (!text.startsWith(`${prefixOf(source)}${keys.current.id}.`) && !locked.has(source)) void reseal(source);
    return JSON.parse(opened.toString('utf8')) as readonly Grant[]; // authenticated, so written by `save`
  };
  const reseal = (source: string): Promise<void> =>
    store.exclusively(source, async () => save(source, await store.read(source))).catch(() => {});

  const store: GrantStore = {
    async read(source) {
      const mine = unsaved.get(source);
      if (mine) {
        await save(source, mine).catch(() => {});
        return mine;
      }
      const copy = known.get(source);
      if (copy && !locked.has(source) && Math.abs(now() - copy.at) < freshMs) return copy.grants;
      let text: string | undefined;
      try {
        text = await texts.read(source);
      } catch (error) {
        // Under the lock a copy would refresh with a token that another replica has used already.
        if (copy === undefined || locked.has(source)) throw error;
        return copy.grants;
      }
      const grants = text === undefined ? [] : open(source, text);
      known.set(source, { grants, at: now() });
      return grants;
    },
    // A refreshed grant is used here even if it cannot be stored now; the next read stores it.
    write: (source, grants) => save(source, grants).catch(() => {}),
    exclusively: (source, work) =>
      texts.exclusively(source, async () => {
        locked.add(source);
        try {
          return await work();
        } finally {
          locked.delete(source);
        }
      }),
  };
  return store;
}
