import type { JsonObject } from '../../../core/json.js';
import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import { isJsonObject } from '../../../wire/message.js';
import type { ChannelEnd } from '../channels/channel.js';
import type { Reply } from '../../../wire/reply.js';
import { retryTimer } from '../../../lib/retry-timer.js';
import { watchedUris } from './watched-uris.js';
import type { NoLease } from './restart-backoff.js';
import type { Lease } from './session-pool.js';
import type { Session } from './session.js';

/** Why a resource is not watched. */
type NotWatched =
  | { readonly noLease: NoLease }
  | { readonly reply: Exclude<Reply, { readonly result: JsonObject }>; readonly end: ChannelEnd | undefined }
  | { readonly unsupported: true };

/** The resources that one owner watches, in that owner's session. */
export interface OwnerWatches {
  watch(uri: string, changed: () => void, signal: AbortSignal): Promise<{ readonly stop: () => void } | NotWatched>;
  onUpdate(session: Session, uri: string): void;
  /** Subscribes again in a new session, as long as something is watched. */
  onEnd(session: Session): void;
  isEmpty(): boolean;
  close(): void;
}

/** Practically endless: the request lasts as long as the subscription. */
export const listenTimeoutMs = 2_000_000_000;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;

/** Keeps a lease while something is watched, because an idle session would be closed and report nothing. */
export function ownerWatches(options: {
  readonly connectMs: number;
  readonly lease: () => Lease | Promise<Lease | NoLease>;
}): OwnerWatches {
  const watched = watchedUris();
  const held = heldLease(options.lease);
  const retry = retryTimer(firstRetryMs, maxRetryMs);
  let listening: Controller | undefined;
  let pending = 0;
  let closed = false;

  function drop(): void {
    listening?.abort();
    listening = undefined;
    held.drop();
  }

  /** Modern servers: one long-running request carries all watched resources; a change needs a new request. */
  function listen(session: Session): void {
    listening?.abort();
    listening = undefined;
    if (watched.isEmpty()) return;
    const abort = lightController();
    listening = abort;
    const params = { notifications: { resourceSubscriptions: watched.uris() } };
    void session
      .request('subscriptions/listen', params, { timeoutMs: listenTimeoutMs, signal: abort.signal })
      .then((reply) => {
        if (closed || abort.signal.aborted || session.end || 'error' in reply) return;
        if ('failure' in reply && reply.failure.kind !== 'connection') return;
        retry.schedule(() => held.session() === session && listen(session));
      });
  }

  /** Sends one subscription; undefined if the server accepted it. */
  async function subscribe(session: Session, uri: string, signal?: AbortSignal): Promise<NotWatched | undefined> {
    const resources = session.peer.capabilities['resources'];
    if (!isJsonObject(resources) || resources['subscribe'] !== true) return { unsupported: true };
    if (session.peer.modern) {
      listen(session);
      return undefined;
    }
    const reply = await session.request(
      'resources/subscribe',
      { uri },
      { timeoutMs: options.connectMs, ...(signal && { signal }) },
    );
    return 'result' in reply ? undefined : { reply, end: session.end };
  }

  async function resubscribe(): Promise<void> {
    if (closed || watched.isEmpty()) return;
    const taken = await held.take(drop);
    if (!('session' in taken)) return retry.schedule(() => void resubscribe());
    retry.reset();
    if (taken.session.peer.modern) return listen(taken.session);
    await Promise.all(watched.uris().map((uri) => subscribe(taken.session, uri)));
  }

  function remove(uri: string, listener: () => void, wasSent = true): void {
    if (!watched.remove(uri, listener)) return;
    const session = held.session();
    if (wasSent && session && !session.end) {
      if (session.peer.modern) listen(session);
      else void session.request('resources/unsubscribe', { uri }, { timeoutMs: options.connectMs });
    }
    if (!watched.isEmpty()) return;
    retry.stop();
    drop();
  }

  return {
    async watch(uri, changed, signal) {
      // A separate listener for each watch: the same function may watch twice.
      const listener = (): void => changed();
      pending += 1;
      const taken = await held.take(drop).finally(() => (pending -= 1));
      if (!('session' in taken)) return { noLease: taken };
      if (closed) return { noLease: { message: 'The source is closed' } };
      const isFirst = watched.add(uri, listener);
      const problem = isFirst ? await subscribe(taken.session, uri, signal) : undefined;
      if (problem === undefined) return { stop: () => remove(uri, listener) };
      remove(uri, listener, false);
      return problem;
    },
    onUpdate(session, uri) {
      // Only the owner's session: the update of another one may concern data that this owner may not see.
      if (held.session() === session) watched.notify(uri);
    },
    onEnd(session) {
      if (held.session() !== session) return;
      drop();
      if (!closed && !watched.isEmpty()) retry.schedule(() => void resubscribe());
    },
    isEmpty: () => watched.isEmpty() && pending === 0,
    close() {
      closed = true;
      retry.stop();
      watched.clear();
      drop();
    },
  };
}

/** The lease of one owner; concurrent takers share one request for it. */
function heldLease(request: () => Lease | Promise<Lease | NoLease>) {
  let requested: Promise<Lease | NoLease> | undefined;
  let lease: Lease | undefined;
  return {
    session: (): Session | undefined => lease?.session,
    /** Without the signal of a caller: others may wait for the same session. `onReplace` runs before another lease is kept. */
    async take(onReplace: () => void): Promise<Lease | NoLease> {
      if (lease && !lease.session.end) return lease;
      const taken = await (requested ??= Promise.resolve(request()).finally(() => (requested = undefined)));
      if ('session' in taken && lease !== taken) {
        onReplace();
        lease = taken;
      }
      return taken;
    },
    drop(): void {
      lease?.release('neutral');
      lease = undefined;
    },
  };
}
