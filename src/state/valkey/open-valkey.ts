import type { Redis } from 'ioredis';
import { engine, type Engine } from '../engine.js';

/** An open connection to Valkey or Redis. */
export interface ValkeyEngine {
  readonly client: Redis;
  /** Second connection, which is in subscriber mode. */
  readonly subscriber: Redis;
  readonly engine: Engine;
  close(): void;
}

/** Connects; the client library is loaded here only. Nothing is queued while the engine is away, so no call waits for it. */
export async function openValkey(url: string): Promise<ValkeyEngine> {
  const { Redis } = await import('ioredis');
  const options = {
    lazyConnect: true,
    // Queued commands would run late, after their callers have given up.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // On the path of every call: a slow engine counts as down instead of delaying calls.
    commandTimeout: 100,
    connectTimeout: 2_000,
    // A fixed pause: replicas should be back within a second of the engine.
    retryStrategy: () => 250,
  };
  const client = new Redis(url, options);
  const subscriber = new Redis(url, { ...options, commandTimeout: 2_000, autoResubscribe: true });
  // Without a listener an error of the connection would end the process; the engine below reports it.
  client.on('error', () => {});
  subscriber.on('error', () => {});
  try {
    await client.connect();
    await subscriber.connect();
    // On the connection with the longer bound: replicas that start at once keep the machine busy.
    const version = /(?:redis|valkey)_version:(\d+)/.exec(await subscriber.info('server'))?.[1];
    if (Number(version) < 7) throw new Error(`Valkey or Redis 7 or later is needed, not ${version}`);
  } catch (error) {
    client.disconnect();
    subscriber.disconnect();
    throw error;
  }
  const state = engine({
    name: 'Valkey',
    probe: () => client.ping(),
    isAnswer: (error) =>
      error instanceof Error &&
      // Replies prove that the engine is up, except those of a replica that is loading or cannot write.
      error.name === 'ReplyError' &&
      !/^(?:LOADING|READONLY|MASTERDOWN|OOM)/.test(error.message),
  });
  return {
    client,
    subscriber,
    engine: state,
    close() {
      state.close();
      client.disconnect();
      subscriber.disconnect();
    },
  };
}
