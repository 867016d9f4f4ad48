import type { Sql } from 'postgres';

/** Schema changes in order; a released one is never edited. */
const migrations: readonly string[] = [
  `CREATE TABLE toolgate_kept (
     space bytea NOT NULL, key bytea NOT NULL, value bytea NOT NULL, expires_at double precision,
     PRIMARY KEY (space, key));
   CREATE INDEX toolgate_kept_expiry ON toolgate_kept (expires_at) WHERE expires_at IS NOT NULL;
   CREATE TABLE toolgate_audit_lines (
     journal text NOT NULL, seq bigint NOT NULL, hash text NOT NULL, line text NOT NULL, at timestamptz NOT NULL DEFAULT now(),
     PRIMARY KEY (journal, seq));
   CREATE TABLE toolgate_audit_checkpoints (id bigint PRIMARY KEY, body text NOT NULL, signature text NOT NULL);`,
  `CREATE TABLE toolgate_locks (name bytea PRIMARY KEY);`,
  `CREATE TABLE toolgate_audit_journals (
     journal text PRIMARY KEY, replica text NOT NULL, seen_at timestamptz NOT NULL DEFAULT now(), closed boolean NOT NULL DEFAULT false);
   CREATE INDEX toolgate_audit_lines_at ON toolgate_audit_lines (at, journal, seq);`,
];

/** Advisory lock of migrations; an arbitrary number that other programs do not use. */
const migrationLock = 7_305_114_120;

/**
 * Brings the database to the schema of this version. Replicas that start at once wait for one another; a database of a newer
 * version is refused, because this one could write what the newer one does not understand.
 */
export async function migrate(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`SELECT pg_advisory_xact_lock(${migrationLock})`;
    await tx`CREATE TABLE IF NOT EXISTS toolgate_schema (version int NOT NULL)`;
    const [row] = await tx<{ version: number }[]>`SELECT max(version) AS version FROM toolgate_schema`;
    const version = row?.version ?? 0;
    if (version > migrations.length)
      throw new Error(
        `the database has schema ${version}, which is newer than this version of Toolgate (${migrations.length}); upgrade this replica`,
      );
    for (let next = version; next < migrations.length; next += 1) {
      await tx.unsafe(migrations[next] ?? '');
      await tx`INSERT INTO toolgate_schema VALUES (${next + 1})`;
    }
  });
}
