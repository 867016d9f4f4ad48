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

/** Lock held by this process until released; the lock of a dead process is taken over. */
export interface LockFile {
  release(): void;
}

/** The lock, or the process that holds it. */
type Locked = { readonly ok: true; readonly lock: LockFile } | { readonly ok: false; readonly heldBy: string };

interface Holder {
  readonly pid: number;
  readonly started: string;
  readonly where: string;
}

/** A holder in another pid namespace counts as alive while it touches its lock within this time. */
const FOREIGN_TIMEOUT_MS = 30_000;
const TOUCH_EVERY_MS = 10_000;

/**
 * Acquires the lock at `path`, taking it over from a process that no longer runs. Process id, start time and pid namespace
 * identify the holder, so that neither a reused pid nor a second container with the same pid is mistaken for it.
 */
export function lockFile(path: string): Locked {
  return acquire(path, 0);
}

/** Whether a live process holds the lock at `path`. */
export function isLockHeld(path: string): boolean {
  const found = readIfPresent(path);
  const holder = found === undefined ? undefined : parseHolder(found);
  return holder !== undefined && isAlive(holder, path);
}

function acquire(path: string, depth: number): Locked {
  const mine = JSON.stringify(thisProcess());
  for (let attempt = 0; attempt < 5; attempt++) {
    if (tryCreate(path, mine)) return { ok: true, lock: holdLock(path, mine) };
    const found = readIfPresent(path);
    if (found === undefined) continue;
    const holder = parseHolder(found);
    if (holder && isAlive(holder, path)) return { ok: false, heldBy: `process ${holder.pid}` };
    if (depth >= 3) break;
    // Two processes may both see the dead holder (TOCTOU): only the one that locks its removal may remove it, after checking again.
    const removal = acquire(`${path}.${hash('sha256', found).slice(0, 12)}`, depth + 1);
    if (!removal.ok) return removal;
    try {
      if (readIfPresent(path) === found) unlinkSync(path);
    } finally {
      removal.lock.release();
    }
  }
  return { ok: false, heldBy: 'another process that is starting' };
}

/** Creates the lock atomically: a hard-linked file is never visible half-written. */
function tryCreate(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}.${hash('sha256', `${process.hrtime.bigint()}`).slice(0, 8)}`;
  const fd = openSync(draft, 'wx', 0o600);
  try {
    writeSync(fd, content);
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    closeSync(fd);
    unlinkSync(draft);
  }
}

function holdLock(path: string, mine: string): LockFile {
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
      if (readIfPresent(path) === mine) unlinkSync(path);
    },
  };
}

function isAlive(holder: Holder, path: string): boolean {
  if (holder.where !== processNamespace()) return Date.now() - modifiedAt(path) < FOREIGN_TIMEOUT_MS;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (!hasErrorCode(error, 'EPERM')) return false;
  }
  const started = processStartTime(holder.pid);
  return started === '' || holder.started === '' || started === holder.started;
}

const thisProcess = (): Holder => ({
  pid: process.pid,
  started: processStartTime(process.pid),
  where: processNamespace(),
});

/** The start time of a process in kernel ticks, or '' where the system does not provide it. */
function processStartTime(pid: number): string {
  const stat = readIfPresent(`/proc/${pid}/stat`);
  // The program name may contain spaces and parentheses; the fields begin after the last parenthesis.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Identifies the pid namespace of this process: boot id and namespace. */
function processNamespace(): string {
  try {
    const boot = readIfPresent('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, started, where } = value as Partial<Record<keyof Holder, unknown>>; // any object can be destructured
    if (!Number.isSafeInteger(pid) || typeof started !== 'string' || typeof where !== 'string') return undefined;
    return { pid: Number(pid), started, where };
  } catch {
    return undefined;
  }
}

function readIfPresent(path: string): string | undefined {
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

const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
