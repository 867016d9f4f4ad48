import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Conversation } from './conversation.js';
import type { Resumable } from './resumable.js';

export interface SessionLimits {
  /** How long a session without requests or an open stream is kept. */
  readonly idleMs: number;
  readonly max: number;
  /** When the table is full, sessions idle for this long make room. */
  readonly crowdedIdleMs: number;
}

export const sessionLimits: SessionLimits = { idleMs: 3_600_000, max: 10_000, crowdedIdleMs: 300_000 };

const keepAnswersMs = 60_000;

/** A legacy client over HTTP, known by an unguessable id and only to the principal that opened it. */
export interface Session {
  readonly id: string;
  readonly owner: string;
  readonly conversation: Conversation;
  usedAt: number;
  /** The GET stream, where one is open. */
  stream: ServerResponse | undefined;
  /** Notifications that came while no stream was open; each kind once. */
  missed: Set<string> | undefined;
  /** Answers whose client may come back for them. */
  resumables: Map<string, Resumable> | undefined;
}

export interface Sessions {
  /** Undefined where there is no room. */
  open(owner: string, begin: (id: string) => Conversation): Session | undefined;
  /** Undefined where there is none, or it is another's: both look the same from outside. */
  find(id: string, owner: string): Session | undefined;
  end(session: Session): void;
  sweep(): void;
  readonly size: number;
  close(): void;
}

export function sessions(limits: SessionLimits = sessionLimits, now: () => number = Date.now): Sessions {
  const table = new Map<string, Session>();

  const end = (session: Session): void => {
    if (!table.delete(session.id)) return;
    session.conversation.close();
    session.stream?.end();
    for (const stream of session.resumables?.values() ?? []) stream.finish(undefined);
  };
  const isIdle = (session: Session, forMs: number): boolean =>
    session.stream === undefined && session.conversation.busy === 0 && now() - session.usedAt >= forMs;
  /** Forgets answers that nobody came back for. */
  const forget = ({ resumables }: Session): void => {
    for (const [id, { endedAt }] of resumables ?? [])
      if (endedAt !== undefined && now() - endedAt >= keepAnswersMs) resumables?.delete(id);
  };
  const sweepOlder = (forMs: number): void => {
    for (const session of table.values()) {
      if (isIdle(session, forMs)) end(session);
      else forget(session);
    }
  };

  /** Who holds the most gives up the session unused for longest, unless that is the one who asks: nobody can keep all others out. */
  const takeFromRichest = (asking: string): void => {
    const held = new Map<string, number>();
    for (const { owner } of table.values()) held.set(owner, (held.get(owner) ?? 0) + 1);
    const [richest, most] = [...held].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    if (richest === asking || most <= (held.get(asking) ?? 0) + 1) return;
    const unused = [...table.values()]
      .filter((each) => each.owner === richest && each.conversation.busy === 0)
      .reduce<Session | undefined>((a, b) => (a === undefined || b.usedAt < a.usedAt ? b : a), undefined);
    if (unused !== undefined) end(unused);
  };

  return {
    get size() {
      return table.size;
    },
    open(owner, begin) {
      if (table.size >= limits.max) sweepOlder(limits.crowdedIdleMs);
      if (table.size >= limits.max) takeFromRichest(owner);
      if (table.size >= limits.max) return undefined;
      const id = randomUUID();
      const session: Session = {
        id,
        owner,
        conversation: begin(id),
        usedAt: now(),
        stream: undefined,
        missed: undefined,
        resumables: undefined,
      };
      table.set(id, session);
      return session;
    },
    find(id, owner) {
      const session = table.get(id);
      if (session?.owner !== owner) return undefined;
      session.usedAt = now();
      return session;
    },
    end,
    sweep: () => sweepOlder(limits.idleMs),
    close() {
      for (const session of table.values()) end(session);
    },
  };
}
