import type { PostgresEngine } from './open-postgres.js';

/** A line of a journal as its replica wrote it. */
interface ArchivedLine {
  readonly seq: number;
  readonly hash: string;
  readonly line: string;
}

/** A journal of a replica and the last line that arrived. */
interface ArchivedJournal {
  readonly journal: string;
  readonly replica: string;
  /** Seconds since its replica was last seen. */
  readonly silentSeconds: number;
  /** Whether its replica ended in order. */
  readonly closed: boolean;
  readonly head: { readonly seq: number; readonly hash: string } | undefined;
}

export interface ArchivedCheckpoint {
  readonly id: number;
  readonly body: string;
  readonly signature: string;
}

/** Lines of all journals of a fleet, and its checkpoints. */
export interface AuditArchive {
  /** Announces a journal; returns the number of its last line here, 0 if there is none. */
  begin(journal: string, replica: string): Promise<number>;
  /** Adds lines; a line that is here already stays as it is. */
  append(journal: string, lines: readonly ArchivedLine[]): Promise<void>;
  touch(journal: string, closed: boolean): Promise<void>;
  journals(): Promise<readonly ArchivedJournal[]>;
  lines(journal: string, after: number, limit: number): Promise<readonly ArchivedLine[]>;
  /** Lines in the order of their arrival, newest first, before a position. */
  newest(before: ArchivePosition | undefined, limit: number): Promise<readonly (ArchivedLine & ArchivePosition)[]>;
  checkpoints(after: number, limit: number): Promise<readonly ArchivedCheckpoint[]>;
  /** Adds the checkpoint that `make` returns for the last one, if no other replica does so at the moment; returns whether it did. */
  addCheckpoint(
    make: (last: ArchivedCheckpoint | undefined) => Promise<ArchivedCheckpoint | undefined>,
  ): Promise<boolean>;
  isDown(): boolean;
}

/** Where a reader of all journals is. */
export interface ArchivePosition {
  readonly journal: string;
  readonly seq: number;
  /** Time of arrival. */
  readonly at: string;
}

/** Advisory lock of checkpoints; an arbitrary number that other programs do not use. */
const checkpointLock = 7_305_114_121;

/** The audit archive in PostgreSQL. Lines and names are parameters, never part of a statement. */
export function postgresAuditArchive({ sql, engine }: PostgresEngine): AuditArchive {
  return {
    begin: async (journal, replica) => {
      await engine.run(
        () => sql`
          INSERT INTO toolgate_audit_journals (journal, replica) VALUES (${journal}, ${replica})
          ON CONFLICT (journal) DO UPDATE SET replica = excluded.replica, seen_at = now(), closed = false`,
      );
      const [row] = await engine.run(
        () =>
          sql<{ seq: string | null }[]>`SELECT max(seq) AS seq FROM toolgate_audit_lines WHERE journal = ${journal}`,
      );
      return Number(row?.seq ?? 0);
    },
    append: (journal, lines) =>
      engine.run(
        async () => {
          // Arrays instead of one row per parameter list: the statement has three parameters however many lines there are.
          // A line that was sent twice after a lost answer is not an error (idempotent).
          await sql`
            INSERT INTO toolgate_audit_lines (journal, seq, hash, line)
            SELECT ${journal}, * FROM unnest(${lines.map(({ seq }) => String(seq))}::bigint[],
              ${lines.map(({ hash }) => hash)}::text[], ${lines.map(({ line }) => line)}::text[])
            ON CONFLICT DO NOTHING`;
        },
        // The size extends the timeout: a large batch takes longer.
        lines.reduce((sum, { line }) => sum + line.length, 0),
      ),
    touch: (journal, closed) =>
      engine.run(async () => {
        await sql`UPDATE toolgate_audit_journals SET seen_at = now(), closed = ${closed} WHERE journal = ${journal}`;
      }),
    async journals() {
      // LATERAL with LIMIT 1 reads one index entry per journal; a GROUP BY would read every line.
      const rows = await sql<
        {
          journal: string;
          replica: string;
          silent: number;
          closed: boolean;
          seq: string | null;
          hash: string | null;
        }[]
      >`
        SELECT j.journal, j.replica, extract(epoch FROM now() - j.seen_at)::float8 AS silent, j.closed, l.seq, l.hash
        FROM toolgate_audit_journals j LEFT JOIN LATERAL (
          SELECT seq, hash FROM toolgate_audit_lines WHERE journal = j.journal ORDER BY seq DESC LIMIT 1) l ON true
        ORDER BY j.journal`;
      return rows.map(({ journal, replica, silent, closed, seq, hash }) => ({
        journal,
        replica,
        silentSeconds: silent,
        closed,
        head: seq === null || hash === null ? undefined : { seq: Number(seq), hash },
      }));
    },
    async lines(journal, after, limit) {
      const rows = await sql<{ seq: string; hash: string; line: string }[]>`
        SELECT seq, hash, line FROM toolgate_audit_lines
        WHERE journal = ${journal} AND seq > ${after} ORDER BY seq LIMIT ${limit}`;
      return rows.map(({ seq, hash, line }) => ({ seq: Number(seq), hash, line }));
    },
    async newest(before, limit) {
      // Keyset pagination: an offset would skip or repeat lines that arrive meanwhile.
      const rows = await sql<{ journal: string; seq: string; hash: string; line: string; at: string }[]>`
        SELECT journal, seq, hash, line, at::text AS at FROM toolgate_audit_lines
        ${before === undefined ? sql`` : sql`WHERE (at, journal, seq) < (${before.at}::timestamptz, ${before.journal}, ${before.seq})`}
        ORDER BY at DESC, journal DESC, seq DESC LIMIT ${limit}`;
      return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
    },
    async checkpoints(after, limit) {
      const rows = await sql<{ id: string; body: string; signature: string }[]>`
        SELECT id, body, signature FROM toolgate_audit_checkpoints WHERE id > ${after} ORDER BY id LIMIT ${limit}`;
      return rows.map((row) => ({ ...row, id: Number(row.id) }));
    },
    addCheckpoint: (make) =>
      sql.begin(async (tx) => {
        // Try, do not wait: another replica that writes a checkpoint now makes this one unnecessary.
        const [lock] = await tx<{ taken: boolean }[]>`SELECT pg_try_advisory_xact_lock(${checkpointLock}) AS taken`;
        if (!lock?.taken) return false;
        const [row] = await tx<{ id: string; body: string; signature: string }[]>`
          SELECT id, body, signature FROM toolgate_audit_checkpoints ORDER BY id DESC LIMIT 1`;
        // Inside the transaction, so that the checkpoint follows the one that was read.
        const next = await make(row && { ...row, id: Number(row.id) });
        if (next === undefined) return false;
        await tx`INSERT INTO toolgate_audit_checkpoints VALUES (${next.id}, ${next.body}, ${next.signature})`;
        return true;
      }),
    isDown: () => engine.downForMs() !== undefined,
  };
}
