import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { KeyRing } from '../lib/key-ring.js';
import { keyRing } from '../lib/key-ring.js';
import { lockFile } from '../lib/lock-file.js';

interface StoredSessionKey {
  readonly key: string;
  /** Wall-clock milliseconds. */
  readonly created: number;
}

const dayMs = 86_400_000;
/** Age at which a start makes a new key. */
const rotateMs = 30 * dayMs;
const keyBytes = 32;

/**
 * Keys of session ids in a file of the state folder, so that a restart ends no client's session. A start rotates a key that is a
 * month old; an older one stays as long as sessions that it sealed can live.
 */
export function sessionKeys(path: string, now: () => number = Date.now): KeyRing {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const known = readKeys(path);
  const needed = known.filter((_, at) => at === 0 || now() - (known[at - 1]?.created ?? 0) < dayMs);
  const isFresh = needed[0] !== undefined && now() - needed[0].created < rotateMs;
  if (isFresh && needed.length === known.length) return toRing(needed);
  const locked = lockFile(`${path}.lock`);
  // Another gateway on the same folder makes the key at this moment.
  if (!locked.ok) return known.length > 0 ? toRing(known) : waitForKeys(path);
  try {
    const current = readKeys(path);
    if (current.length !== known.length) return toRing(current);
    const next = isFresh ? needed : [{ key: randomBytes(keyBytes).toString('base64url'), created: now() }, ...needed];
    const beside = `${path}.${process.pid}.new`;
    writeFileSync(beside, `${JSON.stringify({ keys: next })}\n`, { mode: 0o600 });
    chmodSync(beside, 0o600);
    renameSync(beside, path);
    return toRing(next);
  } finally {
    locked.lock.release();
  }
}

const toRing = (keys: readonly StoredSessionKey[]): KeyRing =>
  keyRing(keys.map(({ key }) => Buffer.from(key, 'base64url')) as [Buffer, ...Buffer[]]);

function waitForKeys(path: string): KeyRing {
  const until = performance.now() + 1_000;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const found = readKeys(path);
    if (found.length > 0) return toRing(found);
    if (performance.now() > until) return keyRing([randomBytes(keyBytes)]);
    Atomics.wait(pause, 0, 0, 5);
  }
}

/** The newest key first; a missing or damaged file has none: its sessions end, and clients open new ones. */
function readKeys(path: string): readonly StoredSessionKey[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const keys = typeof value === 'object' && value !== null && 'keys' in value ? value.keys : undefined;
    return Array.isArray(keys) && keys.every(isStoredSessionKey) ? keys : [];
  } catch {
    return [];
  }
}

function isStoredSessionKey(value: unknown): value is StoredSessionKey {
  if (typeof value !== 'object' || value === null) return false;
  const { key, created } = value as Record<string, unknown>;
  return typeof key === 'string' && Buffer.from(key, 'base64url').length === keyBytes && typeof created === 'number';
}
