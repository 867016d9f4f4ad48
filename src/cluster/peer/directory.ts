import type { FastStore } from '../../state/valkey/valkey-store.js';
import { monotonic } from '../../lib/clock.js';
import { openSignedText, signText, type PeerKeys } from './signature.js';

/** A running replica: where its peer door is, and which start of it this is. */
export interface PeerAddress {
  readonly url: string;
  /** Random for each start. */
  readonly incarnation: string;
}

/** Addresses of the peer doors of all replicas. */
export interface PeerDirectory {
  /** Undefined if this replica is not running; rejects with EngineDown if that cannot be found out. */
  find(replica: string): Promise<PeerAddress | undefined>;
  /** Looks again at the next request: the address did not answer. */
  forget(replica: string): void;
  close(): void;
}

const space = 'peers';
const beatMs = 2_000;
/** A replica that did not announce itself for so long counts as gone. */
const goneMs = 10_000;
const cacheMs = 2_000;

/**
 * Directory in Valkey. Entries are signed: otherwise write access to Valkey would be enough to have calls sent to another address
 * (server-side request forgery).
 */
export function peerDirectory(
  store: FastStore,
  keys: PeerKeys,
  own: PeerAddress & { readonly replica: string },
  now: () => number = Date.now,
): PeerDirectory {
  const seen = new Map<string, { readonly address: PeerAddress; readonly at: number }>();
  const purposeOf = (replica: string): string => `peer ${replica}`;
  const announced = signText(keys, purposeOf(own.replica), `${own.incarnation} ${own.url}`);
  const beat = (): void => {
    // During an outage nothing can be announced; the next beat repairs it.
    void Promise.resolve(store.put(space, own.replica, announced, { expiresAt: now() + goneMs })).catch(() => {});
  };
  beat();
  const timer = setInterval(beat, beatMs).unref();
  return {
    async find(replica) {
      const known = seen.get(replica);
      if (known !== undefined && monotonic() - known.at < cacheMs) return known.address;
      const stored = await store.get(space, replica);
      const text = stored === undefined ? undefined : openSignedText(keys, purposeOf(replica), stored);
      const [incarnation = '', url = ''] = text?.split(' ') ?? [];
      seen.delete(replica);
      if (incarnation === '' || url === '') return undefined;
      const address = { url, incarnation };
      seen.set(replica, { address, at: monotonic() });
      return address;
    },
    forget: (replica) => void seen.delete(replica),
    close() {
      clearInterval(timer);
      // Others learn at once that this replica has ended; one of the same name that has started meanwhile is left alone.
      void Promise.resolve(store.swap(space, own.replica, announced, 'ended', { expiresAt: now() + goneMs })).catch(
        () => {},
      );
    },
  };
}
