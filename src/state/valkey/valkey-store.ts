import type { PutOptions, Store } from '../store.js';
import type { ValkeyEngine } from './open-valkey.js';

/** The verbs of a store whose values may be lost with the engine. */
export type FastStore = Pick<Store, 'get' | 'put' | 'add' | 'swap' | 'take'>;

const swapScript = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** Longest life of a value without an expiry: the engine must not fill up. */
const maxLifeMs = 86_400_000;

/** Short-lived values in Valkey. Keys are encoded, so that no name can reach into another space. */
export function valkeyStore({ client, engine }: ValkeyEngine, now: () => number = Date.now): FastStore {
  const keyOf = (space: string, key: string): string => `tg:k:${encodeURIComponent(space)}:${key}`;
  const lifeOf = (options?: PutOptions): number =>
    Math.max(1, Math.min(maxLifeMs, Math.ceil((options?.expiresAt ?? Infinity) - now())));
  return {
    get: (space, key) => engine.run(async () => (await client.get(keyOf(space, key))) ?? undefined),
    put: (space, key, value, options) =>
      engine.run(async () => void (await client.set(keyOf(space, key), value, 'PX', lifeOf(options)))),
    add: (space, key, value, options) =>
      engine.run(async () => (await client.set(keyOf(space, key), value, 'PX', lifeOf(options), 'NX')) === 'OK'),
    swap: (space, key, from, to, options) =>
      engine.run(
        async () => (await client.call('EVAL', swapScript, 1, keyOf(space, key), from, to, lifeOf(options))) === 1,
      ),
    take: (space, key) => engine.run(async () => (await client.getdel(keyOf(space, key))) ?? undefined),
  };
}
