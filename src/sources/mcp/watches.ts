import { lightController } from '../../lib/light-signal.js';
import type { Controller } from '../../lib/light-signal.js';
import { isObject } from '../../wire/message.js';
import type { Lease, NoLease } from './pool.js';
import type { Session } from './session.js';

/** Follows changes of lists and of single resources, in the words of either protocol. */
export interface Watches {
  /** A conversation was opened: what is watched is asked for again. */
  connected(session: Session): void;
  /** The server says that a resource changed. */
  updated(uri: string): void;
  watch(uri: string, changed: () => void): () => void;
  close(): void;
}

const longMs = 2_000_000_000;
const againMs = 1_000;
const maxWatched = 1_000;

/** Watches on behalf of everyone; each resource is asked for once. */
export function watches(options: {
  readonly connectMs: number;
  readonly lease: () => Promise<Lease | NoLease>;
  readonly listChanged: () => void;
}): Watches {
  const watched = new Map<string, Set<() => void>>();
  let current: Session | undefined;
  let listening: Controller | undefined;
  let again: NodeJS.Timeout | undefined;
  let closed = false;

  /** One long request carries everything that is watched; a change of that is a new request. */
  function listen(session: Session): void {
    const abort = lightController();
    listening?.abort();
    listening = abort;
    const { capabilities } = session.introduction;
    const resources = isObject(capabilities['resources']) ? capabilities['resources'] : {};
    const notifications = {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(resources['subscribe'] === true && watched.size > 0 && { resourceSubscriptions: [...watched.keys()] }),
    };
    void session
      .ask('subscriptions/listen', { notifications }, { timeoutMs: longMs, signal: abort.signal })
      .then((reply) => {
        if (closed || abort.signal.aborted || session.end || session !== current) return;
        // An error means that the server does not do this; an end that it was cut and may be taken up again.
        if ('error' in reply) return;
        again = setTimeout(() => session === current && !session.end && listen(session), againMs);
        again.unref();
      });
  }

  const subscribe = (session: Session, uri: string, verb: 'subscribe' | 'unsubscribe'): void => {
    const resources = session.introduction.capabilities['resources'];
    if (isObject(resources) && resources['subscribe'] === true)
      void session.ask(`resources/${verb}`, { uri }, { timeoutMs: options.connectMs });
  };

  const ask = (uri: string, verb: 'subscribe' | 'unsubscribe'): void => {
    if (!current || current.end) {
      // Watching needs a server that runs; taking the lease starts one, and `connected` asks for everything.
      if (verb === 'subscribe') void options.lease().then((lease) => 'session' in lease && lease.release(true));
    } else if (current.introduction.modern) listen(current);
    else subscribe(current, uri, verb);
  };

  return {
    connected(session) {
      if (closed || (current && !current.end)) return;
      current = session;
      if (session.introduction.modern) listen(session);
      else for (const uri of watched.keys()) subscribe(session, uri, 'subscribe');
    },
    updated(uri) {
      for (const tell of watched.get(uri) ?? []) tell();
    },
    watch(uri, changed) {
      let tellers = watched.get(uri);
      if (!tellers) {
        if (watched.size >= maxWatched) return () => {};
        watched.set(uri, (tellers = new Set()));
        ask(uri, 'subscribe');
      }
      tellers.add(changed);
      return () => {
        if (!tellers.delete(changed) || tellers.size > 0 || watched.get(uri) !== tellers) return;
        watched.delete(uri);
        ask(uri, 'unsubscribe');
      };
    },
    close() {
      closed = true;
      clearTimeout(again);
      listening?.abort();
      watched.clear();
    },
  };
}
