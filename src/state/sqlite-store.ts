import { chmodSync, existsSync, mkdirSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { lockFile, type LockFile } from '../lib/lock-file.js';
import { maxListedEntries, type LocalStore, type PutOptions, type StoredEntry } from './store.js';

interface SqliteStoreOptions {
  /** State folder. */
  readonly home: string;
  readonly now?: () => number;
}

/** The store, or the problem; `setAside` is the file that a damaged database was renamed to. */
type OpenStoreResult =
  | { readonly ok: true; readonly store: LocalStore; readonly setAside?: string }
  | { readonly ok: false; readonly problem: string };

const databaseFile = 'state.db';
/** Format of the tables; a file with a higher number is not opened. */
const schemaVersion = 1;
/** Pages returned to the file system by one sweep; more would block the event loop for too long. */
const vacuumPages = 4_096;
const fileSuffixes = ['', '-wal', '-journal'] as const;

/** Opens the SQLite store in a folder. SQLite is loaded on demand, since many gateways store nothing. */
export async function sqliteStore(options: SqliteStoreOptions): Promise<OpenStoreResult> {
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const path = join(options.home, databaseFile);
  let lock: LockFile | undefined;
  try {
    mkdirSync(options.home, { recursive: true, mode: 0o700 });
    const locked = lockFile(join(options.home, 'state.lock'));
    if (!locked.ok)
      return {
        ok: false,
        problem: `The state in this home is in use by ${locked.heldBy}; stop it, or set TOOLGATE_HOME to another folder`,
      };
    lock = locked.lock;
    removeDriverLock(path);
    const open = (): Database => initDatabase(new sqlite.Database(path), path);
    try {
      return { ok: true, store: createStore(open(), lock, options.now) };
    } catch (error) {
      if (!isDamaged(error)) throw error;
      const aside = moveAside(path);
      return { ok: true, store: createStore(open(), lock, options.now), setAside: aside };
    }
  } catch (error) {
    lock?.release();
    return {
      ok: false,
      problem: `Cannot open the state database: ${error instanceof NewerSchema ? error.message : error instanceof Error && 'code' in error ? String(error.code) : String(error)}`,
    };
  }
}

/** Removes the lock folder that the driver of a killed process left behind; safe because the state lock is held. */
function removeDriverLock(path: string): void {
  if (existsSync(`${path}.lock`)) rmdirSync(`${path}.lock`);
}

/** Checks the database and creates its table; throws if the file is damaged. */
function initDatabase(database: Database, path: string): Database {
  try {
    chmodSync(path, 0o600);
    // Exclusive locking avoids the shared-memory file, which the WASM build does not support.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('PRAGMA journal_mode = WAL');
    // In WAL mode a killed process loses nothing; a power failure may lose the last writes but cannot corrupt the file.
    database.exec('PRAGMA synchronous = NORMAL');
    // Lets `sweep` return the pages of expired entries to the file system; an existing file is converted once by VACUUM.
    const version = Number(database.get('PRAGMA user_version')?.['user_version'] ?? 0);
    if (version > schemaVersion) throw new NewerSchema(`its format ${version} is newer than this version of Toolgate`);
    const check = database.get('PRAGMA quick_check(1)')?.['quick_check'];
    if (check !== 'ok') throw new DamagedDatabase(String(check));
    database.exec(
      'CREATE TABLE IF NOT EXISTS kept (space BLOB, key BLOB, value BLOB NOT NULL, expires_at REAL, PRIMARY KEY (space, key)) WITHOUT ROWID',
    );
    database.exec('CREATE INDEX IF NOT EXISTS kept_expiry ON kept (expires_at) WHERE expires_at IS NOT NULL');
    if (version < schemaVersion) {
      database.exec('PRAGMA auto_vacuum = INCREMENTAL');
      database.exec('VACUUM');
      database.exec(`PRAGMA user_version = ${schemaVersion}`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

class DamagedDatabase extends Error {}
class NewerSchema extends Error {}

const isDamaged = (error: unknown): boolean =>
  error instanceof DamagedDatabase ||
  (error instanceof Error && /not a database|malformed|disk image|corrupt/.test(error.message));

/** Renames a damaged database and its journals, and keeps them for inspection. */
function moveAside(path: string): string {
  const suffix = `.damaged-${new Date().toISOString().replaceAll(/[^0-9TZ]/g, '')}`;
  removeDriverLock(path);
  for (const part of fileSuffixes) if (existsSync(path + part)) renameSync(path + part, path + suffix + part);
  return databaseFile + suffix;
}

/**
 * Texts are stored as bytes, because the driver truncates a text at the first NUL. Every statement runs to completion with `all`:
 * one that stops at a row keeps its transaction open, and its writes are lost.
 */
function createStore(database: Database, lock: LockFile, now: () => number = Date.now): LocalStore {
  const get = database.prepare(
    'SELECT value FROM kept WHERE space = ? AND key = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const put = database.prepare(
    'INSERT INTO kept VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at',
  );
  const take = database.prepare('DELETE FROM kept WHERE space = ? AND key = ? RETURNING value, expires_at');
  const list = database.prepare(
    'SELECT key, value FROM kept WHERE space = ? AND key >= ? AND key < ? AND (? IS NULL OR key > ?) AND (expires_at IS NULL OR expires_at > ?) ORDER BY key LIMIT ?',
  );
  const sweep = database.prepare('DELETE FROM kept WHERE expires_at <= ?');
  let open = true;

  const read = (space: string, key: string): string | undefined => {
    const [row] = get.all([toBytes(space), toBytes(key), now()]);
    return row && text(row['value']);
  };
  const write = (space: string, key: string, value: string, options?: PutOptions): void =>
    void put.run([toBytes(space), toBytes(key), toBytes(value), options?.expiresAt ?? null]);
  const remove = (space: string, key: string): string | undefined => {
    const [taken] = take.all([toBytes(space), toBytes(key)]);
    const isValid = taken !== undefined && (taken['expires_at'] === null || Number(taken['expires_at']) > now());
    return isValid ? text(taken['value']) : undefined;
  };

  return {
    get: read,
    put: write,
    // Atomic without a transaction: the database has one owner (the lock file), and nothing runs between two synchronous calls.
    add(space, key, value, options) {
      if (read(space, key) !== undefined) return false;
      write(space, key, value, options);
      return true;
    },
    swap(space, key, from, to, options) {
      if (read(space, key) !== from) return false;
      write(space, key, to, options);
      return true;
    },
    take: remove,
    delete: (space, key) => remove(space, key) !== undefined,
    list(space, { prefix = '', after, limit = maxListedEntries } = {}) {
      const from = after === undefined ? null : toBytes(after);
      // UTF-8 never contains the byte FF, so this is the upper bound of all keys with the prefix.
      const end = Buffer.concat([toBytes(prefix), Buffer.of(0xff)]);
      const rows = list.all([
        toBytes(space),
        toBytes(prefix),
        end,
        from,
        from,
        now(),
        Math.min(limit, maxListedEntries),
      ]);
      return rows.map((row): StoredEntry => ({ key: text(row['key']), value: text(row['value']) }));
    },
    sweep(at) {
      const { changes } = sweep.run([at]);
      if (changes === 0 && Number(database.get('PRAGMA freelist_count')?.['freelist_count'] ?? 0) === 0) return 0;
      database.exec(`PRAGMA incremental_vacuum(${vacuumPages})`);
      // The file shrinks only when the write-ahead log is copied into it.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return changes;
    },
    close() {
      if (!open) return;
      open = false;
      // The driver keeps its lock if statements are not finalised before the close.
      for (const statement of [get, put, take, list, sweep]) statement.finalize();
      database.close();
      lock.release();
    },
  };
}

const toBytes = (value: string): Buffer => Buffer.from(value);
const text = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '');
