import { sha256 } from '../../lib/hash.js';
import type { SharedLabels } from '../counters.js';
import type { ValkeyEngine } from './open-valkey.js';

/** Labels of conversations in Valkey; writes are awaited, so that the next call on any replica sees them. */
export function valkeyLabels({ client, engine }: ValkeyEngine): SharedLabels {
  const keyOf = (key: string): string => `tg:f:${sha256(key)}`;
  return {
    add: (key, labels, ttlMs) =>
      engine.run(async () => {
        const results = await client
          // One transaction, so that a set never exists without an expiry.
          .multi()
          .sadd(keyOf(key), ...labels)
          .pexpire(keyOf(key), Math.ceil(ttlMs))
          .exec();
        const failed = results?.find(([error]) => error !== null)?.[0];
        if (results === null || failed) throw failed ?? new Error('the transaction was aborted');
      }),
    of: (key) => engine.run(() => client.smembers(keyOf(key))),
  };
}
