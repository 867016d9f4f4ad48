import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Principal } from '../../core/principal.js';
import { sha256 } from '../../lib/hash.js';
import { lockFile } from '../../lib/lock-file.js';
import type { Soon } from '../../lib/soon.js';

/** A stored key: everything except the key itself, of which only the hash is stored. */
export interface StoredKey {
  readonly name: string;
  readonly sha256: string;
  readonly roles: readonly string[];
  readonly profile?: string;
  /** ISO times. */
  readonly created: string;
  readonly expires?: string;
}

export interface KeyRequest {
  readonly name: string;
  readonly roles: readonly string[];
  readonly profile?: string;
  readonly expires?: Date;
}

/** API keys: in a file of the state folder, which the CLI writes and a running gateway reads, or shared by replicas. */
export interface KeyStore {
  /** Why the keys cannot be read at the moment; the last good keys stay valid, in a cluster for a limited time. */
  problem(): string | undefined;
  list(): readonly StoredKey[];
  /** Returns the new key, which is shown only once; undefined if the name is taken. */
  create(wish: KeyRequest): Soon<string | undefined>;
  /** False if the key does not exist. */
  revoke(name: string): Soon<boolean>;
  /** Principal of a key; undefined if it was revoked or has expired. */
  find(key: string): Principal | undefined;
  /** The same by the hash of the key, for sessions that a key opened. */
  findByHash(hash: string): Principal | undefined;
}

/** The keys of one gateway; its changes are immediate. */
export interface KeyFile extends KeyStore {
  create(wish: KeyRequest): string | undefined;
  revoke(name: string): boolean;
}

export const maxKeys = 10_000;
/** Interval of change checks, and so the time until a running gateway rejects a revoked key. */
const recheckMs = 500;

/** 256 random bits: a plain hash is safe to store, because a dictionary attack is not possible. */
export const generateKey = (): string => `tgk_${randomBytes(32).toString('base64url')}`;

/** Opens the key file at a path, which need not exist. */
export function keyFile(path: string, now: () => number = Date.now): KeyFile {
  let lookedAt = -Infinity;
  let seen = '';
  let byHash: ReadonlyMap<string, StoredKey> = new Map();
  let problem: string | undefined;

  const currentKeys = (): ReadonlyMap<string, StoredKey> => {
    // The absolute value: a clock that is set back must not stop the checks, and with them revocations.
    if (Math.abs(now() - lookedAt) < recheckMs) return byHash;
    lookedAt = now();
    const mark = fileFingerprint(path);
    if (mark !== seen) {
      seen = mark;
      try {
        byHash = new Map(readKeyFile(path).map((key) => [key.sha256, key]));
        problem = undefined;
      } catch (error) {
        // The last good keys stay valid, the health check reports the file; at the start there are none.
        problem = error instanceof Error ? error.message : String(error);
      }
    }
    return byHash;
  };
  /** Reads, changes and writes under a lock, so that concurrent changes are not lost. */
  const change = <T>(
    work: (keys: readonly StoredKey[]) => { readonly keys?: readonly StoredKey[]; readonly result: T },
  ): T => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const locked = lockFile(`${path}.lock`);
    if (!locked.ok) throw new Error(`The keys are being changed by ${locked.heldBy}; try again`);
    try {
      const { keys, result } = work(readKeyFile(path));
      if (keys) writeKeyFile(path, keys);
      lookedAt = -Infinity;
      return result;
    } finally {
      locked.lock.release();
    }
  };

  return {
    list: () => readKeyFile(path),
    problem() {
      currentKeys();
      return problem;
    },
    create: (wish) =>
      change((keys) => {
        if (keys.length >= maxKeys) throw new Error(`There are ${maxKeys} keys already; revoke some`);
        if (keys.some((key) => key.name === wish.name)) return { result: undefined };
        const key = generateKey();
        return { keys: [...keys, toStoredKey(wish, key, now())], result: key };
      }),
    revoke: (name) =>
      change((keys) => {
        const left = keys.filter((key) => key.name !== name);
        return left.length === keys.length ? { result: false } : { keys: left, result: true };
      }),
    find: (key) => (key.startsWith('tgk_') ? findByHash(sha256(key)) : undefined),
    findByHash,
  };

  function findByHash(hash: string): Principal | undefined {
    let kept = currentKeys().get(hash);
    if (kept === undefined) {
      // A key that was created a moment ago works at once; an unknown key costs one look at the file's state.
      lookedAt = -Infinity;
      kept = currentKeys().get(hash);
    }
    if (kept === undefined || (kept.expires !== undefined && Date.parse(kept.expires) <= now())) return undefined;
    return keyPrincipal(kept);
  }
}

/** Stored form of a new key. */
export const toStoredKey = ({ name, roles, profile, expires }: KeyRequest, key: string, now: number): StoredKey => ({
  name,
  sha256: sha256(key),
  roles,
  ...(profile !== undefined && { profile }),
  created: new Date(now).toISOString(),
  ...(expires && { expires: expires.toISOString() }),
});

/** The key of one stored text; none if it is not one. */
export function parseStoredKey(text: string): readonly StoredKey[] {
  try {
    const value: unknown = JSON.parse(text);
    return isStoredKey(value) ? [value] : [];
  } catch {
    return [];
  }
}

/** Principal of a stored key. */
export const keyPrincipal = ({ name, roles, profile }: StoredKey): Principal => ({
  id: `key:${name}`,
  name,
  kind: 'token',
  roles,
  ...(profile !== undefined && { profile }),
});

function fileFingerprint(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}

/** Reads the keys; a damaged file is an error, because treating it as empty would drop every key at the next write. */
function readKeyFile(path: string): readonly StoredKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined; // half-written or overwritten: reported below
  }
  if (
    typeof value !== 'object' ||
    value === null ||
    !('keys' in value) ||
    !Array.isArray(value.keys) ||
    !value.keys.every(isStoredKey)
  )
    throw new Error(`The key file ${path} is damaged; restore it or delete it to revoke every key`);
  return value.keys;
}

function isStoredKey(value: unknown): value is StoredKey {
  if (typeof value !== 'object' || value === null) return false;
  const { name, sha256: hash, roles, profile, expires } = value as Record<string, unknown>;
  const isTime = expires === undefined || (typeof expires === 'string' && !Number.isNaN(Date.parse(expires)));
  return (
    typeof name === 'string' &&
    typeof hash === 'string' &&
    /^[0-9a-f]{64}$/.test(hash) &&
    Array.isArray(roles) &&
    roles.every((role) => typeof role === 'string') &&
    (profile === undefined || typeof profile === 'string') &&
    isTime
  );
}

/** Writes a temporary file and renames it, so that readers never see a partial file. */
function writeKeyFile(path: string, keys: readonly StoredKey[]): void {
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  chmodSync(beside, 0o600);
  renameSync(beside, path);
}
