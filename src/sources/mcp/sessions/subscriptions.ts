import type { GuardedCall } from '../../../core/call.js';
import type { Failed } from '../../../core/outcome.js';
import { refuse } from '../../../core/outcome.js';
import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import { channelEndOutcome, errorOutcome } from '../relay/outcomes.js';
import { listenTimeoutMs, ownerWatches } from './owner-watches.js';
import type { OwnerWatches } from './owner-watches.js';
import type { NoLease } from './restart-backoff.js';
import type { Lease } from './session-pool.js';
import type { Session } from './session.js';

/** Upstream subscriptions to list changes and resources, in both protocol eras. */
interface Subscriptions {
  /** Listens for list changes on a new session, if no other session does. */
  onConnect(session: Session): void;
  onEnd(session: Session): void;
  /** Notifies the listeners who subscribed on this session. */
  onUpdate(session: Session, uri: string): void;
  /** Watches a resource in the caller's own session; a caller without one gets its refusal. */
  watch(owner: string, call: GuardedCall, uri: string, changed: () => void): Promise<(() => void) | Failed>;
  close(): void;
}

/** Limits of the watched resources of one source. */
interface WatchLimits {
  readonly total: number;
  /** Share of one principal, so that one caller cannot take all of them. */
  readonly perPrincipal: number;
  /** Owners whose sessions stay open for their watches; the rest of the pool is left to calls. */
  readonly owners: number;
}

const minRelistenMs = 1_000;
const maxRelistenMs = 60_000;

/** Watches per session owner: what one caller watches is sent with that caller's credential, and reported in that session only. */
export function subscriptions(options: {
  readonly source: string;
  readonly remote: boolean;
  readonly connectMs: number;
  readonly lease: (owner: string) => Lease | Promise<Lease | NoLease>;
  readonly limits: WatchLimits;
}): Subscriptions {
  const { source, remote, connectMs, lease, limits } = options;
  const owners = new Map<string, OwnerWatches>();
  const countByPrincipal = new Map<string, number>();
  let total = 0;
  let current: Session | undefined;
  let listening: Controller | undefined;
  let relistenTimer: NodeJS.Timeout | undefined;
  let relistenMs = minRelistenMs;
  let closed = false;

  /** Modern servers report list changes to a long-running request only. */
  function listen(session: Session): void {
    const abort = lightController();
    listening?.abort();
    listening = abort;
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
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

  const count = (principal: string, by: 1 | -1): void => {
    total += by;
    const left = (countByPrincipal.get(principal) ?? 0) + by;
    if (left === 0) countByPrincipal.delete(principal);
    else countByPrincipal.set(principal, left);
  };

  const fullReason = (owner: string, principal: string): string | undefined => {
    if ((countByPrincipal.get(principal) ?? 0) >= limits.perPrincipal)
      return `At most ${limits.perPrincipal} resources of ${source} can be watched by one caller`;
    if (total >= limits.total || (!owners.has(owner) && owners.size >= limits.owners))
      return `${source} has no free subscription`;
    return undefined;
  };

  return {
    onConnect(session) {
      if (closed || (current && !current.end)) return;
      current = session;
      if (session.peer.modern) listen(session);
    },
    onEnd(session) {
      for (const own of owners.values()) own.onEnd(session);
    },
    onUpdate(session, uri) {
      for (const own of owners.values()) own.onUpdate(session, uri);
    },
    async watch(owner, call, uri, changed) {
      const principal = call.principal.id;
      const full = closed ? `${source} is closed` : fullReason(owner, principal);
      // An error, never success and silence: the caller would wait for changes that are never reported.
      if (full !== undefined) return refuse('busy', full, { hint: 'End subscriptions that are no longer needed' });
      let own = owners.get(owner);
      if (own === undefined) {
        own = ownerWatches({ connectMs, lease: () => lease(owner) });
        owners.set(owner, own);
      }
      const table = own;
      count(principal, 1);
      const release = (): void => {
        count(principal, -1);
        if (table.isEmpty() && owners.get(owner) === table) owners.delete(owner);
      };
      const watched = await table.watch(uri, changed, call.signal);
      if ('stop' in watched) {
        return () => {
          watched.stop();
          release();
        };
      }
      release();
      if ('unsupported' in watched) return refuse('not_found', `${source} does not report changes of its resources`);
      return 'noLease' in watched
        ? channelEndOutcome(source, watched.noLease, remote)
        : errorOutcome(source, call, watched.reply, watched.end, remote);
    },
    close() {
      closed = true;
      clearTimeout(relistenTimer);
      listening?.abort();
      for (const own of owners.values()) own.close();
      owners.clear();
    },
  };
}
