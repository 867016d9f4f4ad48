import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import { isJsonObject } from '../../../wire/message.js';
import type { Lease, NoLease } from './session-pool.js';
import type { Session } from './session.js';

/** Upstream subscriptions to list changes and resources, in both protocol eras. */
export interface Subscriptions {
  /** Renews all subscriptions on a new session. */
  onConnect(session: Session): void;
  /** Notifies the listeners of a changed resource. */
  onUpdate(uri: string): void;
  watch(uri: string, changed: () => void): () => void;
  close(): void;
}

const listenTimeoutMs = 2_000_000_000;
const minRelistenMs = 1_000;
const maxRelistenMs = 60_000;
const maxWatched = 1_000;

/** Shares one upstream subscription per resource among all clients. */
export function subscriptions(options: {
  readonly connectMs: number;
  readonly lease: () => Promise<Lease | NoLease>;
  readonly listChanged: () => void;
}): Subscriptions {
  const watched = new Map<string, Set<() => void>>();
  let current: Session | undefined;
  let listening: Controller | undefined;
  let relistenTimer: NodeJS.Timeout | undefined;
  let relistenMs = minRelistenMs;
  let closed = false;

  /** Modern servers: one long-running request carries all subscriptions; a change needs a new request. */
  function listen(session: Session): void {
    const abort = lightController();
    listening?.abort();
    listening = abort;
    const { capabilities } = session.peer;
    const resources = isJsonObject(capabilities['resources']) ? capabilities['resources'] : {};
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(resources['subscribe'] === true && watched.size > 0 && { resourceSubscriptions: [...watched.keys()] }),
    };
    void session
      .request('subscriptions/listen', { notifications }, { timeoutMs: listenTimeoutMs, signal: abort.signal })
      .then((reply) => {
        if (closed || abort.signal.aborted || session.end || session !== current) return;
        // An error means the server does not support this; a normal end or a cut stream can be reopened, with back-off while it fails.
        if ('error' in reply || ('failure' in reply && reply.failure.kind !== 'connection')) return;
        relistenMs = 'failure' in reply ? Math.min(2 * relistenMs, maxRelistenMs) : minRelistenMs;
        relistenTimer = setTimeout(() => session === current && !session.end && listen(session), relistenMs);
        relistenTimer.unref();
      });
  }

  const subscribe = (session: Session, uri: string, verb: 'subscribe' | 'unsubscribe'): void => {
    const resources = session.peer.capabilities['resources'];
    if (isJsonObject(resources) && resources['subscribe'] === true)
      void session.request(`resources/${verb}`, { uri }, { timeoutMs: options.connectMs });
  };

  const syncSubscription = (uri: string, verb: 'subscribe' | 'unsubscribe'): void => {
    if (!current || current.end) {
      // Taking a lease starts the server; `onConnect` then subscribes to everything.
      if (verb === 'subscribe') void options.lease().then((lease) => 'session' in lease && lease.release('neutral'));
    } else if (current.peer.modern) listen(current);
    else subscribe(current, uri, verb);
  };

  return {
    onConnect(session) {
      if (closed || (current && !current.end)) return;
      current = session;
      if (session.peer.modern) listen(session);
      else for (const uri of watched.keys()) subscribe(session, uri, 'subscribe');
    },
    onUpdate(uri) {
      for (const listener of watched.get(uri) ?? []) listener();
    },
    watch(uri, changed) {
      let listeners = watched.get(uri);
      if (!listeners) {
        if (watched.size >= maxWatched) return () => {};
        watched.set(uri, (listeners = new Set()));
        syncSubscription(uri, 'subscribe');
      }
      listeners.add(changed);
      return () => {
        if (!listeners.delete(changed) || listeners.size > 0 || watched.get(uri) !== listeners) return;
        watched.delete(uri);
        syncSubscription(uri, 'unsubscribe');
      };
    },
    close() {
      closed = true;
      clearTimeout(relistenTimer);
      listening?.abort();
      watched.clear();
    },
  };
}
