import type { Peers } from '../core/peers.js';
import type { KeyRing } from '../lib/key-ring.js';

/** Where a server runs; `lost` names the replica that ran it before and has ended. */
export type Holder =
  | { readonly at: 'here'; readonly lost?: string }
  | { readonly at: 'replica'; readonly replica: string }
  | { readonly at: 'unknown'; readonly message: string };

/** Places of servers that run on one replica only. */
export interface Placement {
  /** The replica that runs it; this one, if none did. */
  holderOf(what: readonly string[]): Promise<Holder>;
  /** Lets another replica run it. */
  release(what: readonly string[]): Promise<void>;
}

/** What sources share with the same sources of other replicas. */
export interface SourcePeers {
  readonly network: Peers;
  /** Keys of states that clients carry between a question and its answer. */
  readonly stateKeys: KeyRing;
  readonly placement: Placement;
  /** Changes of lists, between replicas that share a server. */
  readonly lists: {
    announce(source: string): void;
    listen(source: string, listener: () => void): () => void;
  };
}
