import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Principal } from '../../core/principal.js';
import { sha256 } from '../../lib/hash.js';
import { lockFile } from '../../lib/lock-file.js';

/** A stored console session; the token itself is not stored, only its hash. */
export interface ConsoleSession {
  /** Short name for lists and `revoke`. */
  readonly id: string;
  readonly sha256: string;
  /** Principal at login. Of a session that a token or key opened only the id counts: its roles are looked up again. */
  readonly principal: Principal;
  /** Hash of the credential that opened it; the session ends with that credential. Absent after a login at an issuer. */
  readonly credential?: string;
  /** ISO times. `used` lags by up to a minute. */
  readonly created: string;
  readonly expires: string;
  readonly used: string;
}

export interface SessionRequest {
  readonly principal: Principal;
  readonly credential?: string;
  /** Hash of a secret of the browser tab that must open the session (login CSRF). */
  readonly binding?: string;
  /** Upper limit in addition to the eight hours, for sessions opened with a short-lived credential. */
  readonly expiresBy?: number;
}

/** Console sessions in a file of the state folder: they survive a restart, and the CLI lists and revokes them. */
export interface ConsoleSessions {
  list(): readonly ConsoleSession[];
  open(request: SessionRequest): { readonly token: string; readonly session: ConsoleSession };
  /** The session of a token; undefined if it was revoked, has expired or was idle for too long. Counts as a use. */
  find(token: string): ConsoleSession | undefined;
  /** Ends a session by its id; false if it does not exist. */
  revoke(id: string): boolean;
}

const lifetimeMs = 8 * 3_600_000;
const idleMs = 3_600_000;
const maxSessions = 1_000;
/** Interval of change checks, and so the time until a running gateway rejects a revoked session. */
const recheckMs = 500;
/** Interval of writing the time of the last use. */
const noteUseMs = 60_000;
const tokenPrefix = 'tgc_';

/** Whether a bearer token is one of a console session, by its form. */
export const isConsoleToken = (token: string): boolean => token.startsWith(tokenPrefix);

/** Opens the session file at a path, which need not exist. */
export function consoleSessions(path: string, now: () => number = Date.now): ConsoleSessions {
  let lookedAt = -Infinity;
  let seen = '';
  let byHash: ReadonlyMap<string, ConsoleSession> = new Map();
  /** Last use by hash, newer than in the file. */
  const uses = new Map<string, number>();

  const usedAt = ({ sha256: hash, used }: ConsoleSession): number => Math.max(Date.parse(used), uses.get(hash) ?? 0);
  const isAlive = (session: ConsoleSession): boolean =>
    Date.parse(session.expires) > now() && now() - usedAt(session) < idleMs;
  const current = (): ReadonlyMap<string, ConsoleSession> => {
    if (now() - lookedAt < recheckMs) return byHash;
    lookedAt = now();
    const mark = fingerprintOf(path);
    if (mark !== seen) {
      byHash = new Map(readSessions(path).map((session) => [session.sha256, session]));
      for (const hash of uses.keys()) if (!byHash.has(hash)) uses.delete(hash);
      seen = mark;
    }
    return byHash;
  };
  /** Reads, changes and writes under a lock, so that concurrent changes are not lost. */
  const change = <T>(
    work: (sessions: readonly ConsoleSession[]) => { readonly sessions: readonly ConsoleSession[]; readonly result: T },
  ): T => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const locked = lockFile(`${path}.lock`);
    if (!locked.ok) throw new Error(`The console sessions are being changed by ${locked.heldBy}; try again`);
    try {
      const { sessions, result } = work(readSessions(path).filter(isAlive));
      writeSessions(path, sessions);
      lookedAt = -Infinity;
      return result;
    } finally {
      locked.lock.release();
    }
  };
  const noteUse = (session: ConsoleSession): void => {
    uses.set(session.sha256, now());
    if (now() - Date.parse(session.used) < noteUseMs) return;
    try {
      change((sessions) => ({
        sessions: sessions.map((each) => ({ ...each, used: new Date(usedAt(each)).toISOString() })),
        result: undefined,
      }));
    } catch {
      // Another process holds the lock or the disk is full: the time of the last use stays in memory.
    }
  };

  return {
    list: () => readSessions(path).filter(isAlive),
    open: ({ principal, credential, expiresBy = Infinity }) =>
      change((sessions) => {
        if (sessions.length >= maxSessions)
          throw new Error(`There are ${maxSessions} console sessions already; revoke some with toolgate token`);
        // 256 random bits: a plain hash is safe to store.
        const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`;
        const at = new Date(now()).toISOString();
        const session: ConsoleSession = {
          id: `cs_${randomBytes(6).toString('hex')}`,
          sha256: sha256(token),
          principal,
          ...(credential !== undefined && { credential }),
          created: at,
          expires: new Date(Math.min(now() + lifetimeMs, expiresBy)).toISOString(),
          used: at,
        };
        return { sessions: [...sessions, session], result: { token, session } };
      }),
    find(token) {
      if (!isConsoleToken(token)) return undefined;
      const session = current().get(sha256(token));
      if (session === undefined || !isAlive(session)) return undefined;
      noteUse(session);
      return session;
    },
    revoke: (id) =>
      change((sessions) => {
        const left = sessions.filter((session) => session.id !== id);
        return { sessions: left, result: left.length < sessions.length };
      }),
  };
}

function fingerprintOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}

/** Reads the sessions. A missing or damaged file means none: people log in again, and nothing else depends on it. */
function readSessions(path: string): readonly ConsoleSession[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const sessions = typeof value === 'object' && value !== null && 'sessions' in value ? value.sessions : undefined;
    return Array.isArray(sessions) ? sessions.filter(isSession) : [];
  } catch {
    return [];
  }
}

function isSession(value: unknown): value is ConsoleSession {
  if (typeof value !== 'object' || value === null) return false;
  const { id, sha256: hash, principal, credential, expires, used } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    typeof hash === 'string' &&
    isPrincipal(principal) &&
    (credential === undefined || typeof credential === 'string') &&
    [expires, used].every((time) => typeof time === 'string' && !Number.isNaN(Date.parse(time)))
  );
}

function isPrincipal(value: unknown): value is Principal {
  if (typeof value !== 'object' || value === null) return false;
  const { id, roles } = value as Record<string, unknown>;
  return typeof id === 'string' && Array.isArray(roles) && roles.every((role) => typeof role === 'string');
}

/** Writes a temporary file and renames it, so that readers never see a partial file. */
function writeSessions(path: string, sessions: readonly ConsoleSession[]): void {
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, `${JSON.stringify({ sessions }, null, 2)}\n`, { mode: 0o600 });
  chmodSync(beside, 0o600);
  renameSync(beside, path);
}
