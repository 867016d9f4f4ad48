import type { Clock } from '../../../lib/clock.js';
import { monotonic } from '../../../lib/clock.js';
import { lightController } from '../../../lib/light-signal.js';
import { pause } from '../../../lib/pause.js';
import type { Reply } from '../../../wire/reply.js';
import type { ChannelEnd } from '../channels/channel.js';
import { sessionRevival } from './session-revival.js';
import { restartBackoff } from './restart-backoff.js';
import type { NoLease } from './restart-backoff.js';
import { sessionSlots } from './session-slots.js';
import type { Slot } from './session-slots.js';
import type { Session } from './session.js';

/** Limits of a pool: session lifetime and failure handling. */
export interface PoolLimits {
  readonly lifecycle: 'singleton' | 'transient';
  /** Idle sessions are closed after this time. */
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxCalls: number;
  /** Concurrent sessions. */
  readonly maxSessions: number;
  /** Consecutive failures after which restarts pause for `restMs`. */
  readonly crashLimit: number;
  readonly restMs: number;
  /** How long a suspect server has to answer a ping. */
  readonly pingMs: number;
}

export const defaultPoolLimits: PoolLimits = {
  lifecycle: 'singleton',
  idleMs: 300_000,
  maxAgeMs: 86_400_000,
  maxCalls: 1_000_000,
  maxSessions: 16,
  crashLimit: 5,
  restMs: 60_000,
  pingMs: 5_000,
};

/**
 * What a lease showed about its session: the server answered; it did not (connection lost, no valid protocol); the deadline passed;
 * nothing, for example because the caller cancelled.
 */
export type LeaseResult = 'answered' | 'failed' | 'timeout' | 'neutral';

/** A session leased to one caller until `release`. */
export interface Lease {
  readonly session: Session;
  /** `answered` resets the failure counts; the reply gives the reason of a failure. */
  release(result: LeaseResult, reply?: Reply): void;
}

export interface SessionPool {
  /** Leases a session of this owner; '' takes any, and a session opened without an owner is assigned to the first one. */
  lease(owner: string, signal?: AbortSignal): Lease | Promise<Lease | NoLease>;
  /** Number of open sessions, the reason if restarts are paused, and the last failure if several calls in a row got no answer. */
  state(): { readonly open: number; readonly backOff?: NoLease; readonly unanswered?: ChannelEnd };
  /** Number of the latest recovery: a server that failed its calls was connected to again. */
  recovery(): number;
  /** Replaces all sessions, also those whose restart is delayed; leased ones close when they are released. A server that ran runs again. */
  restart(): void;
  close(): Promise<void>;
}

const sweepIntervalMs = 1_000;
const maxWaitMs = 1_000;
/** Timeouts or failures in a row after which the server is pinged, and after which it counts as unhealthy. */
const maxStrikes = 3;

/** Pools the sessions with one server: reused per owner, bounded, restarted with exponential back-off. */
export function sessionPool(options: {
  readonly open: (signal: AbortSignal, owner: string) => Promise<Session | ChannelEnd>;
  readonly limits: PoolLimits;
  readonly clock?: Clock;
}): SessionPool {
  const { open, limits, clock = monotonic } = options;
  const isTransient = limits.lifecycle === 'transient';
  const slots = sessionSlots(limits, clock);
  const backoff = restartBackoff(limits, clock);
  const unanswered = unansweredCalls(maxStrikes);
  const revival = sessionRevival({
    isNeeded: () => !closed && !isTransient && slots.size() === 0 && !backoff.isPaused(),
    open: () => start('', true).opening,
  });
  const stop = lightController();
  let closed = false;

  const sweeper = setInterval(slots.sweep, sweepIntervalMs).unref();

  function recordFailure(end: ChannelEnd): void {
    unanswered.add(end);
    backoff.fail(end);
  }

  function recordAnswer(slot: Slot): void {
    backoff.reset();
    unanswered.reset();
    revival.answered();
    slot.strikes = 0;
    slot.wasCut = false;
    slot.answeredAt = clock();
  }

  /** Pings a server that did not answer several calls in a row, and replaces it if it does not answer the ping either. */
  async function pingSuspect(slot: Slot, session: Session): Promise<void> {
    slot.isPinging = true;
    const method = session.peer.modern ? 'server/discover' : 'ping';
    const reply = await session.request(method, {}, { timeoutMs: limits.pingMs, signal: stop.signal });
    slot.isPinging = false;
    slot.strikes = 0;
    const { wasCut } = slot;
    slot.wasCut = false;
    const isAlive = !('failure' in reply) || reply.failure.kind === 'refused' || reply.failure.kind === 'busy';
    if (isAlive && wasCut) revival.recovered();
    // Other calls on the session end with it: the server answers none of them.
    if (isAlive || closed || !slots.remove(slot)) return;
    slot.retired = true;
    recordFailure({ message: `did not answer ${maxStrikes} calls in a row and no ping; it was replaced` });
    slots.close(slot);
    revival.begin();
  }

  function start(owner: string, isRevival = false): Slot {
    const slot = slots.add(owner, open(stop.signal, owner));
    slot.opening.then(
      (session) => {
        if ('request' in session) slot.session = session;
        else {
          slots.remove(slot);
          // Without a call that waits for it, a failed attempt must not delay the next call.
          if (!closed && !isRevival && session.needsAction !== true) recordFailure(session);
        }
      },
      () => slots.remove(slot),
    );
    return slot;
  }

  /**
   * Counts a call without an answer. A call that its caller gave up counts too if nothing was answered for a while: clients often
   * give up before our deadline, and a hung server would never be replaced.
   */
  function strike(slot: Slot, session: Session): void {
    slot.strikes += 1;
    if (slot.strikes >= maxStrikes && !slot.isPinging) void pingSuspect(slot, session);
  }

  function recordResult(slot: Slot, session: Session, result: LeaseResult, reply: Reply | undefined): void {
    if (result === 'answered') recordAnswer(slot);
    else if (result === 'neutral') {
      if (!session.end && clock() - slot.answeredAt > limits.pingMs) strike(slot, session);
    } else if (session.end) {
      if (!slots.remove(slot)) return;
      recordFailure(session.end);
      revival.begin();
    } else {
      if (result === 'failed' && reply && 'failure' in reply) unanswered.add(reply.failure);
      slot.wasCut ||= result === 'failed';
      strike(slot, session);
    }
  }

  /** The lease of an open session; shared by all its callers, so that a call allocates nothing. */
  const leaseOf = (slot: Slot, session: Session): Lease => ({
    session,
    release(result, reply) {
      recordResult(slot, session, result, reply);
      slot.lastUsed = clock();
      const wasRetired = slot.retired;
      slots.release(slot);
      if (!wasRetired && (isTransient || slot.calls >= limits.maxCalls)) slots.retire(slot);
    },
  });

  const take = (slot: Slot): void => {
    slot.leases += 1;
    slot.calls += 1;
  };

  function lease(owner: string, signal?: AbortSignal): Lease | Promise<Lease | NoLease> {
    if (closed) return Promise.resolve({ message: 'The source is closed' });
    const slot = isTransient ? undefined : slots.find(owner);
    if (!slot?.lease) return openLease(slot, owner, signal);
    take(slot);
    return slot.lease;
  }

  /** Waits for a session that is being opened, or opens one. */
  async function openLease(found: Slot | undefined, owner: string, signal?: AbortSignal): Promise<Lease | NoLease> {
    let slot = found;
    if (!slot) {
      const rest = backoff.current();
      if (rest) {
        // Wait out a short back-off instead of failing the call.
        const waitMs = rest.retryAfterMs ?? 0;
        return waitMs > maxWaitMs || !(await pause(waitMs + 1, signal)) ? rest : lease(owner, signal);
      }
      if (!slots.makeRoom()) return { message: 'All connections are in use', busy: true, retryAfterMs: 1_000 };
      slot = start(owner);
    }
    take(slot);
    const session = await openedUnlessAborted(slot.opening, signal);
    if ('request' in session) return (slot.lease ??= leaseOf(slot, session));
    slots.release(slot);
    return session;
  }

  return {
    lease,
    state() {
      const rest = backoff.isPaused() ? backoff.current() : undefined;
      const failure = unanswered.failure();
      return { open: slots.size(), ...(rest && { backOff: rest }), ...(failure && { unanswered: failure }) };
    },
    recovery: revival.latest,
    restart() {
      backoff.clear();
      unanswered.reset();
      const wasOpen = slots.size() > 0;
      slots.retireAll();
      if (wasOpen && !closed && !isTransient) start('', true);
    },
    async close() {
      closed = true;
      // Abort handshakes that are still running.
      stop.abort();
      revival.stop();
      clearInterval(sweeper);
      await slots.closeAll();
    },
  };
}

/** Calls in a row without an answer, over all sessions; shown as health, and unlike the back-off it delays no other caller. */
function unansweredCalls(limit: number) {
  let count = 0;
  let last: ChannelEnd | undefined;
  return {
    add(end: ChannelEnd): void {
      count += 1;
      last = end;
    },
    reset(): void {
      count = 0;
    },
    failure: () => (count >= limit ? last : undefined),
  };
}

/** Waits for a session unless the caller cancels; opening goes on for the next caller. */
function openedUnlessAborted(
  opening: Promise<Session | ChannelEnd>,
  signal: AbortSignal | undefined,
): Promise<Session | ChannelEnd> {
  if (!signal) return opening;
  if (signal.aborted) return Promise.resolve({ message: 'The caller cancelled' });
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve({ message: 'The caller cancelled' });
    signal.addEventListener('abort', onAbort, { once: true });
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
