import type { ReservedSql } from 'postgres';
import { monotonic } from '../../lib/clock.js';
import { neverAborted } from '../../lib/light-signal.js';
import { pause } from '../../lib/pause.js';
import { semaphore } from '../../lib/semaphore.js';
import { EngineDown } from '../engine.js';
import type { Store } from '../store.js';
import type { PostgresEngine } from './open-postgres.js';

/** Small texts of which one replica at a time may replace one, after work that takes longer than a statement. */
export interface LockedTexts {
  read(key: string): Promise<string | undefined>;
  write(key: string, text: string): Promise<void>;
  /** Runs work while no other replica does for the same key; rejects if the lock cannot be taken. */
  exclusively<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Longest wait for another replica; PostgreSQL ends a lock whose holder does nothing for this long. */
const maxWaitMs = 30_000;
const lockRetryMs = 50;
/** Longest time of one attempt, which may have to open a connection. */
const attemptMs = 2_000;
/** Locks that one replica holds at a time: each takes a connection of the pool, which calls need too. */
const maxHeld = 3;

/**
 * Texts in one space, locked by rows of PostgreSQL: the lock of a replica that dies ends with its connection. Attempts do not wait in
 * the database, so a stopped engine costs no more than the bound of a call.
 */
export function lockedTexts({ sql, engine }: PostgresEngine, store: Store, space: string): LockedTexts {
  const slots = semaphore({ slots: maxHeld, queue: 1_000, queueTimeoutMs: maxWaitMs });

  const tryLock = async (key: string): Promise<ReservedSql | undefined> => {
    const name = Buffer.from(`${space}\0${key}`);
    await sql`INSERT INTO toolgate_locks VALUES (${name}) ON CONFLICT DO NOTHING`;
    const connection = await sql.reserve();
    try {
      await connection`BEGIN`;
      await connection`SELECT set_config('idle_in_transaction_session_timeout', ${String(maxWaitMs)}, true)`;
      const { count } = await connection`SELECT 1 FROM toolgate_locks WHERE name = ${name} FOR UPDATE SKIP LOCKED`;
      if (count === 1) return connection;
    } catch (error) {
      await unlock(connection);
      throw error;
    }
    await unlock(connection);
    return undefined;
  };
  const lock = async (key: string): Promise<ReservedSql> => {
    const until = monotonic() + maxWaitMs;
    for (;;) {
      if (engine.downForMs() !== undefined) throw new EngineDown(`${engine.name} does not answer`);
      // Fails within the bound of a call if the engine is away; the attempt itself may have to open a connection.
      await engine.run(() => sql`SELECT 1`);
      const attempt = tryLock(key);
      const held = await within(attemptMs, attempt).catch((error: unknown) => {
        // A lock that is granted after all must not stay.
        void attempt.then((late) => late && unlock(late)).catch(() => {});
        throw error;
      });
      if (held) return held;
      if (monotonic() > until) throw new Error('another replica holds the lock; try again');
      await pause(lockRetryMs);
    }
  };

  return {
    read: async (key) => store.get(space, key),
    write: async (key, text) => store.put(space, key, text),
    async exclusively(key, work) {
      const slot = await slots.acquire(key, neverAborted());
      if (slot !== true && slot !== 'acquired') throw new Error('too many locks are waiting; try again');
      try {
        const held = await lock(key);
        try {
          return await work();
        } finally {
          void unlock(held);
        }
      } finally {
        slots.release();
      }
    },
  };
}

/** Rejects if a promise takes longer. */
function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new EngineDown(`PostgreSQL did not answer within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function unlock(connection: ReservedSql): Promise<void> {
  try {
    await connection`COMMIT`;
  } catch {
    // The connection is lost, and the lock with it.
  } finally {
    connection.release();
  }
}
