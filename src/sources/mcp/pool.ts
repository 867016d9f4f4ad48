import type { Clock } from '../../lib/clock.js';
import { monotonic } from '../../lib/clock.js';
import { lightController } from '../../lib/light-signal.js';
import type { Ended } from './channel.js';
import type { Session } from './session.js';

/** How long conversations are kept and how often a server may fail. */
export interface PoolLimits {
  readonly lifecycle: 'singleton' | 'transient';
  /** After this long without a call a conversation is closed. */
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxCalls: number;
  /** Conversations at once. */
  readonly maxSessions: number;
  /** Ends in a row, without an answer between them, after which the server is left alone for a while. */
  readonly crashLimit: number;
  readonly restMs: number;
}

export const poolLimits: PoolLimits = {
  lifecycle: 'singleton',
  idleMs: 300_000,
  maxAgeMs: 86_400_000,
  maxCalls: 1_000_000,
  maxSessions: 16,
  crashLimit: 5,
  restMs: 60_000,
};

/** A conversation lent to one caller until `release`. */
export interface Lease {
  readonly session: Session;
  /** `answered` says that the server works: its failures are forgotten. */
  release(answered: boolean): void;
}

/** Why none can be had; `retryAfterMs` where it is a matter of time. */
export interface NoLease extends Ended {
  readonly busy?: boolean;
  readonly retryAfterMs?: number;
}

export interface Pool {
  /** A conversation of this owner's own; '' asks for any, and one that is opened for nobody goes to the first owner that comes. */
  lease(owner: string, signal?: AbortSignal): Lease | Promise<Lease | NoLease>;
  /** How many are open, and why the server rests where it does. */
  state(): { readonly open: number; readonly resting?: NoLease };
  close(): Promise<void>;
}

interface Slot {
  owner: string;
  readonly opening: Promise<Session | Ended>;
  session: Session | undefined;
  lease: Lease | undefined;
  readonly bornAt: number;
  lastUsed: number;
  calls: number;
  leases: number;
  retired: boolean;
}

const firstBackOffMs = 100;
const longestBackOffMs = 10_000;
const sweepEveryMs = 1_000;
const waitAtMostMs = 1_000;

/** Keeps conversations with one server: reused by their owners, bounded, and not restarted in a tight loop. */
export function pool(options: {
  readonly open: (signal: AbortSignal, owner: string) => Promise<Session | Ended>;
  readonly limits: PoolLimits;
  readonly clock?: Clock;
}): Pool {
  const { open, limits, clock = monotonic } = options;
  const slots = new Set<Slot>();
  const leaving = new Set<Promise<void>>();
  let failures = 0;
  let lastFailure: Ended | undefined;
  let notBefore = 0;
  let closed = false;
  const transient = limits.lifecycle === 'transient';
  const stop = lightController();

  const sweeper = setInterval(sweep, sweepEveryMs).unref();

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
    if (slot.leases === 0) leave(slot);
  }

  function leave(slot: Slot): void {
    const left = slot.opening.then((opened) => ('ask' in opened ? opened.close() : undefined));
    leaving.add(left);
    void left.finally(() => leaving.delete(left));
  }

  function failed(end: Ended): void {
    failures += 1;
    lastFailure = end;
    const backOff =
      failures >= limits.crashLimit ? limits.restMs : Math.min(longestBackOffMs, firstBackOffMs * 2 ** (failures - 1));
    notBefore = clock() + backOff;
  }

  const resting = (): NoLease | undefined => {
    const wait = notBefore - clock();
    if (wait <= 0 || !lastFailure) return undefined;
    return {
      ...lastFailure,
      retryAfterMs: Math.ceil(wait),
      ...(failures >= limits.crashLimit && {
        message: `${lastFailure.message}, ${failures} times in a row; it is left alone for now`,
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
    };
    slots.add(slot);
    slot.opening.then(
      (session) => {
        if ('ask' in session) slot.session = session;
        else {
          slots.delete(slot);
          if (!closed && session.held !== true) failed(session);
        }
      },
      () => slots.delete(slot),
    );
    return slot;
  }

  function find(owner: string): Slot | undefined {
    let spare: Slot | undefined;
    for (const slot of slots) {
      if (slot.session?.end) slots.delete(slot);
      else if (owner === '' || slot.owner === owner) return slot;
      else if (slot.owner === '') spare = slot;
    }
    if (spare) spare.owner = owner;
    return spare;
  }

  /** The longest idle one of another owner makes room; where all are busy there is none. */
  function makeRoom(): boolean {
    if (slots.size < limits.maxSessions) return true;
    let oldest: Slot | undefined;
    for (const slot of slots)
      if (slot.leases === 0 && slot.session && (!oldest || slot.lastUsed < oldest.lastUsed)) oldest = slot;
    if (!oldest) return false;
    retire(oldest);
    return true;
  }

  /** What is lent of an open conversation; the same to everyone, so that the usual call makes nothing of its own. */
  const leaseOf = (slot: Slot, session: Session): Lease => ({
    session,
    release(answered) {
      if (answered) failures = 0;
      else if (session.end && slots.delete(slot)) failed(session.end);
      slot.leases -= 1;
      slot.lastUsed = clock();
      if (slot.retired && slot.leases === 0) leave(slot);
      else if (!slot.retired && (transient || slot.calls >= limits.maxCalls)) retire(slot);
    },
  });

  const take = (slot: Slot): void => {
    slot.leases += 1;
    slot.calls += 1;
  };

  function lease(owner: string, signal?: AbortSignal): Lease | Promise<Lease | NoLease> {
    if (closed) return Promise.resolve({ message: 'The source is closed' });
    const slot = transient ? undefined : find(owner);
    if (!slot?.lease) return opened(slot, owner, signal);
    take(slot);
    return slot.lease;
  }

  /** Waits for a conversation that is being opened, or opens one. */
  async function opened(found: Slot | undefined, owner: string, signal?: AbortSignal): Promise<Lease | NoLease> {
    let slot = found;
    if (!slot) {
      const rest = resting();
      if (rest) {
        // A short back-off is waited for: the caller wants an answer, not a lesson in restarts.
        if ((rest.retryAfterMs ?? 0) > waitAtMostMs || !(await waited(rest.retryAfterMs ?? 0, signal))) return rest;
        return lease(owner, signal);
      }
      if (!makeRoom()) return { message: 'All connections are in use', busy: true, retryAfterMs: 1_000 };
      slot = start(owner);
    }
    take(slot);
    const session = await orAborted(slot.opening, signal);
    if ('ask' in session) return (slot.lease ??= leaseOf(slot, session));
    slot.leases -= 1;
    if (slot.retired && slot.leases === 0) leave(slot);
    return session;
  }

  return {
    lease,
    state() {
      const rest = failures >= limits.crashLimit ? resting() : undefined;
      return { open: slots.size, ...(rest && { resting: rest }) };
    },
    async close() {
      closed = true;
      // A server that has not greeted yet is not waited for.
      stop.abort();
      clearInterval(sweeper);
      for (const slot of slots) {
        slot.retired = true;
        leave(slot);
      }
      slots.clear();
      await Promise.all(leaving);
    },
  };
}

/** Waits for a connection unless the caller goes first; the connection is made all the same, for the next one. */
function orAborted(opening: Promise<Session | Ended>, signal: AbortSignal | undefined): Promise<Session | Ended> {
  if (!signal) return opening;
  if (signal.aborted) return Promise.resolve({ message: 'The caller cancelled' });
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve({ message: 'The caller cancelled' });
    signal.addEventListener('abort', onAbort, { once: true });
    opening.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** False where the signal fired first. */
function waited(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
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
