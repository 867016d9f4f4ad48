import type { JsonObject } from '../../../core/json.js';
import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import { isJsonObject } from '../../../wire/message.js';
import type { ChannelEnd } from '../channels/channel.js';
import type { Reply } from '../../../wire/reply.js';
import type { Lease, NoLease } from './session-pool.js';
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
  const watched = new Map<string, Set<() => void>>();
  let held: Promise<Lease | NoLease> | undefined;
  let lease: Lease | undefined;
  let listening: Controller | undefined;
  let retryTimer: NodeJS.Timeout | undefined;
  let retryMs = firstRetryMs;
  let pending = 0;
  let closed = false;

  /** Without the signal of a caller: others may wait for the same session. */
  async function take(): Promise<Lease | NoLease> {
    if (lease && !lease.session.end) return lease;
    const taken = await (held ??= Promise.resolve(options.lease()).finally(() => (held = undefined)));
    if (!('session' in taken)) return taken;
    if (lease !== taken) {
      drop();
      lease = taken;
    }
    return taken;
  }

  function drop(): void {
    listening?.abort();
    listening = undefined;
    lease?.release('neutral');
    lease = undefined;
  }

  /** Modern servers: one long-running request carries all watched resources; a change needs a new request. */
  function listen(session: Session): void {
    listening?.abort();
    listening = undefined;
    if (watched.size === 0) return;
    const abort = lightController();
    listening = abort;
    const params = { notifications: { resourceSubscriptions: [...watched.keys()] } };
    void session
      .request('subscriptions/listen', params, { timeoutMs: listenTimeoutMs, signal: abort.signal })
      .then((reply) => {
        if (closed || abort.signal.aborted || session.end || 'error' in reply) return;
        if ('failure' in reply && reply.failure.kind !== 'connection') return;
        retry(() => lease?.session === session && listen(session));
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

  function retry(again: () => unknown): void {
    clearTimeout(retryTimer);
    retryTimer = setTimeout(again, retryMs);
    retryTimer.unref();
    retryMs = Math.min(maxRetryMs, retryMs * 2);
  }

  async function resubscribe(): Promise<void> {
    if (closed || watched.size === 0) return;
    const taken = await take();
    if (!('session' in taken)) return retry(() => void resubscribe());
    retryMs = firstRetryMs;
    if (taken.session.peer.modern) return listen(taken.session);
    await Promise.all([...watched.keys()].map((uri) => subscribe(taken.session, uri)));
  }

  function remove(uri: string, listener: () => void, wasSent = true): void {
    const listeners = watched.get(uri);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    watched.delete(uri);
    const session = lease?.session;
    if (wasSent && session && !session.end) {
      if (session.peer.modern) listen(session);
      else void session.request('resources/unsubscribe', { uri }, { timeoutMs: options.connectMs });
    }
    if (watched.size === 0) {
      clearTimeout(retryTimer);
      drop();
    }
  }

  return {
    async watch(uri, changed, signal) {
      // A separate listener for each watch: the same function may watch twice.
      const listener = (): void => changed();
      pending += 1;
      const taken = await take().finally(() => (pending -= 1));
      if (!('session' in taken)) return { noLease: taken };
      if (closed) return { noLease: { message: 'The source is closed' } };
      let listeners = watched.get(uri);
      const isFirst = listeners === undefined;
      if (listeners === undefined) watched.set(uri, (listeners = new Set()));
      listeners.add(listener);
      const problem = isFirst ? await subscribe(taken.session, uri, signal) : undefined;
      if (problem === undefined) return { stop: () => remove(uri, listener) };
      remove(uri, listener, false);
      return problem;
    },
    onUpdate(session, uri) {
      // Only the owner's session: the update of another one may concern data that this owner may not see.
      if (lease?.session === session) for (const listener of watched.get(uri) ?? []) listener();
    },
    onEnd(session) {
      if (lease?.session !== session) return;
      drop();
      if (!closed && watched.size > 0) retry(() => void resubscribe());
    },
    isEmpty: () => watched.size === 0 && pending === 0,
    close() {
      closed = true;
      clearTimeout(retryTimer);
      watched.clear();
      drop();
    },
  };
}
