import { deriveKey, derivedKeys, type KeyRing } from '../lib/key-ring.js';
import type { Bus } from './bus.js';
import { engine, type Engine } from './engine.js';
import { lockedTexts, type LockedTexts } from './postgres/locked-texts.js';
import { openPostgres, type PostgresEngine } from './postgres/open-postgres.js';
import { postgresStore } from './postgres/postgres-store.js';
import { sharedCopies, type SharedCopies } from './shared-copy.js';
import type { Store } from './store.js';

/** State of a cluster that must not be lost, in PostgreSQL; all that the command line needs of it. */
export interface DurableState {
  readonly store: Store;
  /** The same with a longer bound, for work that no call waits for. */
  readonly background: Store;
  readonly postgres: PostgresEngine;
  readonly backgroundEngine: Engine;
  /** Copies of spaces in memory; `bus` announces changes at once. */
  copies(bus?: Bus): SharedCopies;
  locked(space: string): LockedTexts;
  /** Keys for one purpose, derived from the secret and the previous one. */
  keysFor(purpose: string): KeyRing;
  keyFor(purpose: string): Buffer;
  /** The same of the secret and the previous one. */
  allKeysFor(purpose: string): readonly Buffer[];
  close(): Promise<void>;
}

export interface DurableOptions {
  /** The secret, and the previous one during a rotation. */
  readonly secrets: readonly [string, ...string[]];
  readonly postgres: string;
}

const backgroundTimeoutMs = 10_000;
const secretSpace = 'cluster';

/** Connects to PostgreSQL and checks the secret; the error names the key and the reason. */
export async function openDurable({ secrets, postgres: url }: DurableOptions): Promise<DurableState> {
  const [secret] = secrets;
  const postgres = await openPostgres(url).catch((error: unknown) => connectError('cluster.postgres', error));
  // A start may wait longer than a call: replicas that start at once keep the machine busy.
  const backgroundEngine = engine({
    name: 'PostgreSQL',
    probe: () => postgres.sql`SELECT 1`,
    timeoutMs: backgroundTimeoutMs,
  });
  const store = postgresStore(postgres.sql, postgres.engine);
  const background = postgresStore(postgres.sql, backgroundEngine);
  const opened: SharedCopies[] = [];
  const close = async (): Promise<void> => {
    for (const copies of opened) copies.close();
    backgroundEngine.close();
    await postgres.close();
  };
  try {
    await checkSecret(background, secrets);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    store,
    background,
    postgres,
    backgroundEngine,
    copies(bus) {
      const copies = sharedCopies({ store, background, ...(bus && { bus }) });
      opened.push(copies);
      return copies;
    },
    locked: (space) => lockedTexts(postgres, store, space),
    keysFor: (purpose) => derivedKeys(secrets, purpose),
    keyFor: (purpose) => deriveKey(secret, purpose),
    allKeysFor: (purpose) => secrets.map((each) => deriveKey(each, purpose)),
    close,
  };
}

/** Refuses a replica with another secret: its sessions and approvals would fail at random behind the balancer. */
async function checkSecret(store: Store, secrets: readonly [string, ...string[]]): Promise<void> {
  const marks = secrets.map((secret) => deriveKey(secret, 'check').toString('base64url'));
  const [mark = ''] = marks;
  await store.add(secretSpace, 'secret', mark);
  const known = await store.get(secretSpace, 'secret');
  if (known === mark) return;
  // The first replica with the new secret completes the rotation.
  if (known !== undefined && marks.includes(known)) await store.swap(secretSpace, 'secret', known, mark);
  else
    throw new Error(
      'cluster.secret: differs from the secret of the other replicas; to rotate it, set the former one as cluster.previous_secret',
    );
}

/** Raises an error of a connection, with the key that names the engine. */
export function connectError(key: string, error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  throw new Error(`${key}: cannot connect: ${message || 'no answer'}`, { cause: error });
}
