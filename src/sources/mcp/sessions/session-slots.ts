import type { Clock } from '../../../lib/clock.js';
import type { ChannelEnd } from '../channels/channel.js';
import type { Session } from './session.js';
import type { Lease } from './session-pool.js';

/** A session of a pool, open or being opened, and how it is used. */
export interface Slot {
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
  /** Whether one of them was a failure of the transport, which a slow tool does not cause. */
  wasCut: boolean;
  /** When the server last answered, or was started. */
  answeredAt: number;
  isPinging: boolean;
}

interface SlotLimits {
  readonly idleMs: number;
  readonly maxAgeMs: number;
  readonly maxSessions: number;
}

/** The sessions of a pool: at most `maxSessions`, one owner each, closed when idle or old. */
export function sessionSlots({ idleMs, maxAgeMs, maxSessions }: SlotLimits, clock: Clock) {
  const slots = new Set<Slot>();
  const closing = new Set<Promise<void>>();

  function close(slot: Slot): void {
    const closed = slot.opening.then((opened) => ('request' in opened ? opened.close() : undefined));
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  /** Takes a slot out of use; its session closes when the last lease is released. */
  function retire(slot: Slot): void {
    slot.retired = true;
    slots.delete(slot);
    if (slot.leases === 0) close(slot);
  }

  const isOutworn = ({ lastUsed, bornAt }: Slot, now: number): boolean =>
    now - lastUsed > idleMs || now - bornAt > maxAgeMs;

  return {
    size: () => slots.size,
    add(owner: string, opening: Slot['opening']): Slot {
      const now = clock();
      const slot: Slot = {
        owner,
        opening,
        session: undefined,
        lease: undefined,
        bornAt: now,
        lastUsed: now,
        calls: 0,
        leases: 0,
        retired: false,
        strikes: 0,
        wasCut: false,
        answeredAt: now,
        isPinging: false,
      };
      slots.add(slot);
      return slot;
    },
    /** The slot of an owner; '' takes any, and a slot without an owner is assigned to this one. */
    find(owner: string): Slot | undefined {
      let spare: Slot | undefined;
      for (const slot of slots) {
        if (slot.session?.end) slots.delete(slot);
        else if (owner === '' || slot.owner === owner) return slot;
        else if (slot.owner === '') spare = slot;
      }
      if (spare) spare.owner = owner;
      return spare;
    },
    /** Removes a slot without closing its session; false if it was removed before. */
    remove: (slot: Slot): boolean => slots.delete(slot),
    retire,
    close,
    /** Gives back one lease; closes the session of a retired slot with its last one. */
    release(slot: Slot): void {
      slot.leases -= 1;
      if (slot.retired && slot.leases === 0) close(slot);
    },
    /** Evicts the longest idle session; false if all sessions are in use. */
    makeRoom(): boolean {
      if (slots.size < maxSessions) return true;
      let oldest: Slot | undefined;
      for (const slot of slots)
        if (slot.leases === 0 && slot.session && (!oldest || slot.lastUsed < oldest.lastUsed)) oldest = slot;
      if (!oldest) return false;
      retire(oldest);
      return true;
    },
    /** Drops sessions that ended, and closes idle and old ones. */
    sweep(): void {
      const now = clock();
      for (const slot of slots) {
        if (slot.session?.end) slots.delete(slot);
        else if (slot.leases === 0 && slot.session && isOutworn(slot, now)) retire(slot);
      }
    },
    retireAll(): void {
      for (const slot of slots) retire(slot);
    },
    async closeAll(): Promise<void> {
      for (const slot of slots) {
        slot.retired = true;
        close(slot);
      }
      slots.clear();
      await Promise.all(closing);
    },
  };
}
