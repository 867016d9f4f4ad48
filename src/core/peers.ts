import type { Json } from './json.js';

/** A request of another replica, authenticated by the peer door. */
export interface PeerRequest {
  readonly from: string;
  readonly body: Json;
  /** Aborted when the other replica hangs up. */
  readonly signal: AbortSignal;
  /** Sends an event ahead of the answer. */
  emit(event: Json): void;
}

/** Answer of another replica; `gone` if that replica is not running, `failed` if it did not answer. */
export type PeerAnswer =
  | { readonly ok: true; readonly body: Json }
  | { readonly ok: false; readonly why: 'gone' | 'failed' | 'cancelled'; readonly message: string };

export interface PeerAskOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: Json) => void;
}

/** Requests between the replicas of a cluster. Callers cannot reach them, and guards have run at the replica that sends one. */
export interface Peers {
  readonly replica: string;
  /** Answers requests with this verb, until the returned function is called; the latest handler of a verb counts. */
  handle(verb: string, handler: (request: PeerRequest) => Promise<Json>): () => void;
  ask(replica: string, verb: string, body: Json, options?: PeerAskOptions): Promise<PeerAnswer>;
}
