import type { Sql } from 'postgres';
import type { Engine } from '../engine.js';
import { maxListedEntries, type PutOptions, type Store } from '../store.js';

/** Store in PostgreSQL, shared by replicas; every verb is one statement. Names and values are parameters, never part of a statement. */
export function postgresStore(sql: Sql, engine: Engine, now: () => number = Date.now): Store {
  const expiry = (options?: PutOptions): number | null => options?.expiresAt ?? null;

  return {
    get: (space, key) =>
      engine.run(async () => {
        const [row] = await sql<{ value: Buffer }[]>`
          SELECT value FROM toolgate_kept
          WHERE space = ${bytes(space)} AND key = ${bytes(key)} AND (expires_at IS NULL OR expires_at > ${now()})`;
        return row && text(row.value);
      }),
    put: (space, key, value, options) =>
      engine.run(async () => {
        await sql`
          INSERT INTO toolgate_kept VALUES (${bytes(space)}, ${bytes(key)}, ${bytes(value)}, ${expiry(options)})
          ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;
        // Larger values may take longer.
      }, value.length),
    add: (space, key, value, options) =>
      engine.run(async () => {
        // An expired row counts as absent; one statement decides, so that two replicas cannot both add.
        const { count } = await sql`
          INSERT INTO toolgate_kept AS kept VALUES (${bytes(space)}, ${bytes(key)}, ${bytes(value)}, ${expiry(options)})
          ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
          WHERE kept.expires_at <= ${now()}`;
        return count === 1;
      }, value.length),
    swap: (space, key, from, to, options) =>
      engine.run(async () => {
        // Compared in the statement: between a read and a write another replica could change it (lost update).
        const { count } = await sql`
          UPDATE toolgate_kept SET value = ${bytes(to)}, expires_at = ${expiry(options)}
          WHERE space = ${bytes(space)} AND key = ${bytes(key)} AND value = ${bytes(from)}
            AND (expires_at IS NULL OR expires_at > ${now()})`;
        return count === 1;
      }, to.length),
    take: (space, key) => engine.run(() => remove(space, key)),
    delete: (space, key) => engine.run(async () => (await remove(space, key)) !== undefined),
    list: (space, { prefix = '', after, limit = maxListedEntries } = {}) =>
      engine.run(async () => {
        // UTF-8 never contains the byte FF, so this is the upper bound of all keys with the prefix.
        const end = Buffer.concat([bytes(prefix), Buffer.of(0xff)]);
        const rows = await sql<{ key: Buffer; value: Buffer }[]>`
          SELECT key, value FROM toolgate_kept
          WHERE space = ${bytes(space)} AND key >= ${bytes(prefix)} AND key < ${end}
            AND (expires_at IS NULL OR expires_at > ${now()})
            ${after === undefined ? sql`` : sql`AND key > ${bytes(after)}`}
          ORDER BY key LIMIT ${Math.min(limit, maxListedEntries)}`;
        return rows.map((row) => ({ key: text(row.key), value: text(row.value) }));
      }),
    sweep: (at) =>
      engine.run(async () => {
        const { count } = await sql`DELETE FROM toolgate_kept WHERE expires_at <= ${at}`;
        return count;
      }),
    close: () => {},
  };

  async function remove(space: string, key: string): Promise<string | undefined> {
    const [row] = await sql<{ value: Buffer; expires_at: number | null }[]>`
      DELETE FROM toolgate_kept WHERE space = ${bytes(space)} AND key = ${bytes(key)} RETURNING value, expires_at`;
    return row && (row.expires_at === null || row.expires_at > now()) ? text(row.value) : undefined;
  }
}

// Bytes instead of text: PostgreSQL rejects NUL in text, and collations would change the order of keys.
const bytes = (value: string): Buffer => Buffer.from(value);
const text = (value: Buffer): string => value.toString('utf8');
