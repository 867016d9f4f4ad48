import type { Clock } from '../../../lib/clock.js';
import { monotonic } from '../../../lib/clock.js';
import { lightController } from '../../../lib/light-signal.js';
import type { Reply } from '../../../wire/reply.js';
import type { ChannelEnd } from '../channels/channel.js';
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

/** Why no session is available; `retryAfterMs` if the reason is temporary. */
export interface NoLease extends ChannelEnd {
  readonly busy?: boolean;
  readonly retryAfterMs?: number;
}

export interface SessionPool {
  /** Leases a session of this owner; '' takes any, and a session opened without an owner is assigned to the first one. */
  lease(owner: string, signal?: AbortSignal): Lease | Promise<Lease | NoLease>;
  /** Number of open sessions, the reason if restarts are paused, and the last failure if several calls in a row got no answer. */
  state(): { readonly open: number; readonly backOff?: NoLease; readonly unanswered?: ChannelEnd };
  close(): Promise<void>;
}

interface Slot {
  owner: string;
  readonly opening: Promise<Session | ChannelEnd>;
  session: Session | undefined;
  lease: Lease | undefined;
  readonly bornAt: number;
  lastUsed: number;
  calls: number;
  leases: number;
  retired: boolean;
  /** Timeouts and failures in a row. */
  strikes: number;
  isPinging: boolean;
}

const firstBackOffMs = 100;
const maxBackOffMs = 10_000;
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
  const slots = new Set<Slot>();
  const closing = new Set<Promise<void>>();
  let failures = 0;
  /** Calls in a row without an answer, over all sessions; shown as health, unlike `failures` it delays no other caller. */
  let unanswered = 0;
  let lastUnanswered: ChannelEnd | undefined;
  let lastFailure: ChannelEnd | undefined;
  let notBefore = 0;
  let closed = false;
  const transient = limits.lifecycle === 'transient';
  const stop = lightController();

  const sweeper = setInterval(sweep, sweepIntervalMs).unref();

  function sweep(): void {
    const now = clock();
    for (const slot of slots) {
      if (slot.session?.end) slots.delete(slot);
      else if (
        slot.leases === 0 &&
        slot.session &&
        (now - slot.lastUsed > limits.idleMs || now - slot.bornAt > limits.maxAgeMs)
      )
        retire(slot);
    }
  }

  function retire(slot: Slot): void {
    slot.retired = true;
    slots.delete(slot);
    if (slot.leases === 0) closeSlot(slot);
  }

  function closeSlot(slot: Slot): void {
    const closedSlot = slot.opening.then((openedSession) =>
      'request' in openedSession ? openedSession.close() : undefined,
    );
    closing.add(closedSlot);
    void closedSlot.finally(() => closing.delete(closedSlot));
  }

  function recordUnanswered(end: ChannelEnd): void {
    unanswered += 1;
    lastUnanswered = end;
  }

  function recordAnswer(slot: Slot): void {
    failures = 0;
    unanswered = 0;
    slot.strikes = 0;
  }

  /** Pings a server that did not answer several calls in a row, and replaces it if it does not answer the ping either. */
  async function pingSuspect(slot: Slot, session: Session): Promise<void> {
    slot.isPinging = true;
    const method = session.peer.modern ? 'server/discover' : 'ping';
    const reply = await session.request(method, {}, { timeoutMs: limits.pingMs, signal: stop.signal });
    slot.isPinging = false;
    slot.strikes = 0;
    const isAlive = !('failure' in reply) || reply.failure.kind === 'refused' || reply.failure.kind === 'busy';
    // Other calls on the session end with it: the server answers none of them.
    if (isAlive || closed || !slots.delete(slot)) return;
    slot.retired = true;
    recordFailure({ message: `did not answer ${maxStrikes} calls in a row and no ping; it was replaced` });
    closeSlot(slot);
  }

  function recordFailure(end: ChannelEnd): void {
    recordUnanswered(end);
    failures += 1;
    lastFailure = end;
    const backOffMs =
      failures >= limits.crashLimit ? limits.restMs : Math.min(maxBackOffMs, firstBackOffMs * 2 ** (failures - 1));
    notBefore = clock() + backOffMs;
  }

  const backOff = (): NoLease | undefined => {
    const wait = notBefore - clock();
    if (wait <= 0 || !lastFailure) return undefined;
    return {
      ...lastFailure,
      retryAfterMs: Math.ceil(wait),
      ...(failures >= limits.crashLimit && {
        message: `${lastFailure.message}, ${failures} times in a row; restarts are paused`,
      }),
    };
  };

  function start(owner: string): Slot {
    const now = clock();
    const slot: Slot = {
      owner,
      opening: open(stop.signal, owner),
      session: undefined,
      lease: undefined,
      bornAt: now,
      lastUsed: now,
      calls: 0,
      leases: 0,
      retired: false,
      strikes: 0,
      isPinging: false,
    };
    slots.add(slot);
    slot.opening.then(
      (session) => {
        if ('request' in session) slot.session = session;
        else {
          slots.delete(slot);
          if (!closed && session.needsAction !== true) recordFailure(session);
        }
      },
      () => slots.delete(slot),
    );
    return slot;
  }

  function findSlot(owner: string): Slot | undefined {
    let spare: Slot | undefined;
    for (const slot of slots) {
      if (slot.session?.end) slots.delete(slot);
      else if (owner === '' || slot.owner === owner) return slot;
      else if (slot.owner === '') spare = slot;
    }
    if (spare) spare.owner = owner;
    return spare;
  }

  /** Evicts the longest idle session; false if all sessions are in use. */
  function makeRoom(): boolean {
    if (slots.size < limits.maxSessions) return true;
    let oldest: Slot | undefined;
    for (const slot of slots)
      if (slot.leases === 0 && slot.session && (!oldest || slot.lastUsed < oldest.lastUsed)) oldest = slot;
    if (!oldest) return false;
    retire(oldest);
    return true;
  }

  /** The lease of an open session; shared by all its callers, so that a call allocates nothing. */
  const leaseOf = (slot: Slot, session: Session): Lease => ({
    session,
    release(result, reply) {
      if (result === 'answered') recordAnswer(slot);
      else if (result !== 'neutral') {
        if (session.end) {
          if (slots.delete(slot)) recordFailure(session.end);
        } else {
          if (result === 'failed' && reply && 'failure' in reply) recordUnanswered(reply.failure);
          slot.strikes += 1;
          if (slot.strikes >= maxStrikes && !slot.isPinging) void pingSuspect(slot, session);
        }
      }
      slot.leases -= 1;
      slot.lastUsed = clock();
      if (slot.retired && slot.leases === 0) closeSlot(slot);
      else if (!slot.retired && (transient || slot.calls >= limits.maxCalls)) retire(slot);
    },
  });

  const take = (slot: Slot): void => {
    slot.leases += 1;
    slot.calls += 1;
  };

  function lease(owner: string, signal?: AbortSignal): Lease | Promise<Lease | NoLease> {
    if (closed) return Promise.resolve({ message: 'The source is closed' });
    const slot = transient ? undefined : findSlot(owner);
    if (!slot?.lease) return openLease(slot, owner, signal);
    take(slot);
    return slot.lease;
  }

  /** Waits for a session that is being opened, or opens one. */
  async function openLease(found: Slot | undefined, owner: string, signal?: AbortSignal): Promise<Lease | NoLease> {
    let slot = found;
    if (!slot) {
      const rest = backOff();
      if (rest) {
        // Wait out a short back-off instead of failing the call.
        if ((rest.retryAfterMs ?? 0) > maxWaitMs || !(await waitUnlessAborted(rest.retryAfterMs ?? 0, signal)))
          return rest;
        return lease(owner, signal);
      }
      if (!makeRoom()) return { message: 'All connections are in use', busy: true, retryAfterMs: 1_000 };
      slot = start(owner);
    }
    take(slot);
    const session = await openedUnlessAborted(slot.opening, signal);
    if ('request' in session) return (slot.lease ??= leaseOf(slot, session));
    slot.leases -= 1;
    if (slot.retired && slot.leases === 0) closeSlot(slot);
    return session;
  }

  return {
    lease,
    state() {
      const rest = failures >= limits.crashLimit ? backOff() : undefined;
      return {
        open: slots.size,
        ...(rest && { backOff: rest }),
        ...(unanswered >= maxStrikes && lastUnanswered && { unanswered: lastUnanswered }),
      };
    },
    async close() {
      closed = true;
      // Abort handshakes that are still running.
      stop.abort();
      clearInterval(sweeper);
      for (const slot of slots) {
        slot.retired = true;
        closeSlot(slot);
      }
      slots.clear();
      await Promise.all(closing);
    },
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

/** False if the signal fired first. */
function waitUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (whole: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(whole);
    };
    const onAbort = (): void => end(false);
    const timer = setTimeout(() => end(true), ms + 1);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
