import { hash } from 'node:crypto';
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';

/** A lock held by this process until released; a process that dies holding it loses it. */
export interface LockFile {
  release(): void;
}

/** Either the lock, or a sentence about who holds it. */
export type Locked = { readonly ok: true; readonly lock: LockFile } | { readonly ok: false; readonly heldBy: string };

interface Holder {
  readonly pid: number;
  readonly started: string;
  readonly where: string;
}

/** A holder whose process table we cannot see is believed alive while it touches its lock this often. */
const FOREIGN_ALIVE_MS = 30_000;
const TOUCH_EVERY_MS = 10_000;

/**
 * Takes the lock at `path`, taking it over from a process that no longer runs. Process id, start time and pid namespace
 * name the holder, so that neither a reused id nor a second container with the same id is mistaken for it.
 */
export function lockFile(path: string): Locked {
  return take(path, 0);
}

function take(path: string, depth: number): Locked {
  const mine = JSON.stringify(thisProcess());
  for (let attempt = 0; attempt < 5; attempt++) {
    if (placed(path, mine)) return { ok: true, lock: held(path, mine) };
    const found = readOrNothing(path);
    if (found === undefined) continue;
    const holder = parsed(found);
    if (holder && isAlive(holder, path)) return { ok: false, heldBy: `process ${holder.pid}` };
    if (depth >= 3) break;
    // Two starters may both see the dead holder. Only the one that locks this holder's removal may remove it, and looks again first.
    const removal = take(`${path}.${hash('sha256', found).slice(0, 12)}`, depth + 1);
    if (!removal.ok) return removal;
    try {
      if (readOrNothing(path) === found) unlinkSync(path);
    } finally {
      removal.lock.release();
    }
  }
  return { ok: false, heldBy: 'another process that is starting' };
}

/** Puts the lock there whole or not at all: a linked file is never seen half-written. */
function placed(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}.${hash('sha256', `${process.hrtime.bigint()}`).slice(0, 8)}`;
  const fd = openSync(draft, 'wx', 0o600);
  try {
    writeSync(fd, content);
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    closeSync(fd);
    unlinkSync(draft);
  }
}

function held(path: string, mine: string): LockFile {
  const touch = setInterval(() => {
    try {
      const now = new Date();
      utimesSync(path, now, now);
    } catch {
      clearInterval(touch);
    }
  }, TOUCH_EVERY_MS);
  touch.unref();
  return {
    release() {
      clearInterval(touch);
      if (readOrNothing(path) === mine) unlinkSync(path);
    },
  };
}

function isAlive(holder: Holder, path: string): boolean {
  if (holder.where !== whereabouts()) return Date.now() - modifiedAt(path) < FOREIGN_ALIVE_MS;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  const started = startOf(holder.pid);
  return started === '' || holder.started === '' || started === holder.started;
}

const thisProcess = (): Holder => ({ pid: process.pid, started: startOf(process.pid), where: whereabouts() });

/** The start time of a process in kernel ticks, or '' where the system does not tell. */
function startOf(pid: number): string {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The program's name may hold spaces and brackets; the fields begin after the last bracket.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Names the process table that our process ids belong to: this boot of this machine and its pid namespace. */
function whereabouts(): string {
  try {
    const boot = readOrNothing('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function parsed(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, started, where } = value as Partial<Record<keyof Holder, unknown>>; // an object's fields may be looked at
    if (!Number.isSafeInteger(pid) || typeof started !== 'string' || typeof where !== 'string') return undefined;
    return { pid: Number(pid), started, where };
  } catch {
    return undefined;
  }
}

function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
