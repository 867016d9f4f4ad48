import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Principal } from '../core/principal.js';
import { sha256 } from '../lib/hash.js';
import { lockFile } from '../lib/lock-file.js';

/** A key as it is kept: everything but the key itself, of which only the hash is known. */
export interface KeptKey {
  readonly name: string;
  readonly sha256: string;
  readonly roles: readonly string[];
  readonly profile?: string;
  /** ISO times. */
  readonly created: string;
  readonly expires?: string;
}

export interface KeyWish {
  readonly name: string;
  readonly roles: readonly string[];
  readonly profile?: string;
  readonly expires?: Date;
}

/** The keys of callers, in a file of the state home that the CLI writes and a running gateway reads. */
export interface KeyFile {
  list(): readonly KeptKey[];
  /** The new key, shown this once; undefined where the name is taken. */
  create(wish: KeyWish): string | undefined;
  /** False where there is no such key. */
  revoke(name: string): boolean;
  /** Who holds this key; a key that was revoked or has expired is nobody's. */
  find(key: string): Principal | undefined;
}

const mostKeys = 10_000;
/** How long a revoked key may live on in a running gateway. */
const lookEveryMs = 500;

/** 256 random bits, so that a plain hash is enough to keep it: there is no dictionary to try. */
const newKey = (): string => `tgk_${randomBytes(32).toString('base64url')}`;

/** Opens the keys kept at a path; the file need not be there. */
export function keyFile(path: string, now: () => number = Date.now): KeyFile {
  let lookedAt = -Infinity;
  let seen = '';
  let byHash: ReadonlyMap<string, KeptKey> = new Map();

  const fresh = (): ReadonlyMap<string, KeptKey> => {
    if (now() - lookedAt < lookEveryMs) return byHash;
    lookedAt = now();
    const mark = fingerprint(path);
    if (mark !== seen) {
      byHash = new Map(read(path).map((key) => [key.sha256, key]));
      seen = mark;
    }
    return byHash;
  };
  /** Reads, lets change and writes, alone: of two who change at once, neither may undo the other. */
  const change = <T>(
    work: (keys: readonly KeptKey[]) => { readonly keys?: readonly KeptKey[]; readonly result: T },
  ): T => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const locked = lockFile(`${path}.lock`);
    if (!locked.ok) throw new Error(`The keys are being changed by ${locked.heldBy}; try again`);
    try {
      const { keys, result } = work(read(path));
      if (keys) write(path, keys);
      lookedAt = -Infinity;
      return result;
    } finally {
      locked.lock.release();
    }
  };

  return {
    list: () => read(path),
    create: ({ name, roles, profile, expires }) =>
      change((keys) => {
        if (keys.length >= mostKeys) throw new Error(`There are ${mostKeys} keys already; revoke some`);
        if (keys.some((key) => key.name === name)) return { result: undefined };
        const key = newKey();
        const kept: KeptKey = {
          name,
          sha256: sha256(key),
          roles,
          ...(profile !== undefined && { profile }),
          created: new Date(now()).toISOString(),
          ...(expires && { expires: expires.toISOString() }),
        };
        return { keys: [...keys, kept], result: key };
      }),
    revoke: (name) =>
      change((keys) => {
        const left = keys.filter((key) => key.name !== name);
        return left.length === keys.length ? { result: false } : { keys: left, result: true };
      }),
    find(key) {
      if (!key.startsWith('tgk_')) return undefined;
      const kept = fresh().get(sha256(key));
      if (kept === undefined || (kept.expires !== undefined && Date.parse(kept.expires) <= now())) return undefined;
      return keyPrincipal(kept);
    },
  };
}

/** Who the holder of a kept key is. */
export const keyPrincipal = ({ name, roles, profile }: KeptKey): Principal => ({
  id: `key:${name}`,
  name,
  kind: 'token',
  roles,
  ...(profile !== undefined && { profile }),
});

function fingerprint(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.ino}:${stat.size}:${stat.mtimeMs}`;
}

/** A file that is there but not whole stops us: taking it for empty would bring revoked keys back at the next write. */
function read(path: string): readonly KeptKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (
    typeof value !== 'object' ||
    value === null ||
    !('keys' in value) ||
    !Array.isArray(value.keys) ||
    !value.keys.every(isKept)
  )
    throw new Error(`The key file ${path} is damaged; restore it or delete it to revoke every key`);
  return value.keys;
}

function isKept(value: unknown): value is KeptKey {
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

/** Written beside and moved over, so that a reader sees the old file or the new one and never a half. */
function write(path: string, keys: readonly KeptKey[]): void {
  const beside = `${path}.${process.pid}.new`;
  writeFileSync(beside, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
  chmodSync(beside, 0o600);
  renameSync(beside, path);
}
