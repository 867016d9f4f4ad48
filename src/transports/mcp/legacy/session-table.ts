import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../lib/clock.js';
import { monotonic } from '../../../lib/clock.js';
import type { LegacySession } from './legacy-session.js';
import type { ResumableStream } from './resumable-stream.js';
import { newSessionId } from './session-vault.js';
import type { SealedSession } from './session-vault.js';

/** Limits of HTTP sessions. */
export interface SessionLimits {
  /** Sessions without requests or an open stream expire after this time. */
  readonly idleMs: number;
  readonly max: number;
  /** When the table is full, sessions idle for this time are evicted. */
  readonly crowdedIdleMs: number;
}

/** Default limits. */
export const sessionLimits: SessionLimits = { idleMs: 3_600_000, max: 10_000, crowdedIdleMs: 300_000 };

const keepEndedStreamsMs = 60_000;

/** A legacy session over HTTP; it is valid only for the principal that opened it (session hijacking). */
export interface SessionEntry {
  /** Internal id; clients get the sealed one. */
  readonly id: string;
  readonly owner: string;
  readonly session: LegacySession;
  /** The session as its id carries it, with that id; unset until `initialize` succeeded. */
  sealed: (SealedSession & { readonly token: string }) | undefined;
  /** Monotonic milliseconds: a step of the wall clock must not end sessions. Set by the table only. */
  usedAt: number;
  /** The GET stream, if one is open. */
  stream: ServerResponse | undefined;
  /** Notifications sent while no stream was open, without duplicates. */
  undelivered: Set<string> | undefined;
  /** Streams that a client can still resume. */
  resumables: Map<string, ResumableStream> | undefined;
}

/** All open HTTP sessions. */
export interface SessionTable {
  /** Undefined if the table is full. */
  open(owner: string, begin: (id: string) => LegacySession, id?: string): SessionEntry | undefined;
  /** Undefined if unknown or owned by another principal; callers cannot distinguish the two. */
  find(id: string, owner: string): SessionEntry | undefined;
  /** Restarts the idle time. */
  touch(entry: SessionEntry): void;
  end(entry: SessionEntry): void;
  sweep(): void;
  readonly size: number;
  close(): void;
}

/** Bounded table; evicts idle sessions first, then those of the owner with the most. */
export function sessionTable(limits: SessionLimits = sessionLimits, now: Clock = monotonic): SessionTable {
  const table = new Map<string, SessionEntry>();

  const end = (entry: SessionEntry): void => {
    if (!table.delete(entry.id)) return;
    entry.session.close();
    entry.stream?.end();
    for (const stream of entry.resumables?.values() ?? []) stream.finish(undefined);
  };
  const isIdle = (entry: SessionEntry, forMs: number): boolean =>
    entry.stream === undefined && entry.session.activeRequests === 0 && now() - entry.usedAt >= forMs;
  /** Drops ended streams that no client resumed in time. */
  const expireStreams = ({ resumables }: SessionEntry): void => {
    for (const [id, { endedAt }] of resumables ?? [])
      if (endedAt !== undefined && now() - endedAt >= keepEndedStreamsMs) resumables?.delete(id);
  };
  const sweepOlder = (forMs: number): void => {
    for (const entry of table.values()) {
      if (isIdle(entry, forMs)) end(entry);
      else expireStreams(entry);
    }
  };

  /** Evicts the least recently used session of the owner with the most sessions, so that one principal cannot starve the others. */
  const evictFromLargestOwner = (newOwner: string): void => {
    const counts = new Map<string, number>();
    for (const { owner } of table.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const [largestOwner, most] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    if (largestOwner === newOwner || most <= (counts.get(newOwner) ?? 0) + 1) return;
    const oldest = [...table.values()]
      .filter((entry) => entry.owner === largestOwner && entry.session.activeRequests === 0)
      .reduce<SessionEntry | undefined>((a, b) => (a === undefined || b.usedAt < a.usedAt ? b : a), undefined);
    if (oldest !== undefined) end(oldest);
  };

  return {
    get size() {
      return table.size;
    },
    open(owner, begin, id = newSessionId()) {
      if (table.size >= limits.max) sweepOlder(limits.crowdedIdleMs);
      if (table.size >= limits.max) evictFromLargestOwner(owner);
      if (table.size >= limits.max) return undefined;
      const entry: SessionEntry = {
        id,
        owner,
        session: begin(id),
        sealed: undefined,
        usedAt: now(),
        stream: undefined,
        undelivered: undefined,
        resumables: undefined,
      };
      table.set(id, entry);
      return entry;
    },
    find(id, owner) {
      const entry = table.get(id);
      if (entry?.owner !== owner) return undefined;
      entry.usedAt = now();
      return entry;
    },
    touch(entry) {
      entry.usedAt = now();
    },
    end,
    sweep: () => sweepOlder(limits.idleMs),
    close() {
      for (const entry of table.values()) end(entry);
    },
  };
}
