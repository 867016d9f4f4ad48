import type { Sql } from 'postgres';
import { engine, type Engine } from '../engine.js';
import { migrate } from './migrations.js';

/** An open connection pool to PostgreSQL. */
export interface PostgresEngine {
  readonly sql: Sql;
  readonly engine: Engine;
  close(): Promise<void>;
}

// A start that cannot connect should fail soon and name the engine.
const connectTimeoutSeconds = 5;

/** Connects, checks the version and migrates; the client library is loaded here only. */
export async function openPostgres(
  url: string,
  { max = 8, timeoutMs }: { readonly max?: number; readonly timeoutMs?: number } = {},
): Promise<PostgresEngine> {
  const { default: postgres } = await import('postgres');
  const sql = postgres(url, {
    max,
    connect_timeout: connectTimeoutSeconds,
    // Connections stay open: a new one costs more than a call.
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    // Reconnects are paced by the probe.
    backoff: () => 0.1,
    connection: { application_name: 'toolgate' },
  });
  try {
    const [row] = await sql<{ version: string }[]>`SELECT current_setting('server_version_num') AS version`;
    if (Number(row?.version) < 150_000) throw new Error(`PostgreSQL 15 or later is needed, not ${row?.version}`);
    await migrate(sql);
  } catch (error) {
    // A pool that stays open would keep the process alive.
    await sql.end({ timeout: 0 });
    throw error;
  }
  const state = engine({
    name: 'PostgreSQL',
    ...(timeoutMs !== undefined && { timeoutMs }),
    probe: () => sql`SELECT 1`,
    // Answers prove that the server is up; classes 57P, 08 and 53 mean shutdown, connection and resources.
    isAnswer: (error) => error instanceof postgres.PostgresError && !/^(?:57P|08|53)/.test(error.code),
  });
  return {
    sql,
    engine: state,
    async close() {
      state.close();
      await sql.end({ timeout: 1 });
    },
  };
}
