import type { Clock } from './clock.js';
import { monotonic } from './clock.js';
import { lru } from './lru.js';

interface Bucket {
  tokens: number;
  at: number;
  perMinute: number;
  burst: number;
}

/** Result of taking a token. */
interface TakeResult {
  readonly ok: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Time until a token is available; 0 if one was taken. */
  readonly retryAfterMs: number;
}

export interface TokenBucket {
  take(key: string, perMinute: number, burst?: number): TakeResult;
  size(): number;
  /** Evicts keys whose bucket is full again; returns their number. */
  sweep(): number;
}

/** Token buckets by key: at most `maxKeys`, the least recently used is evicted first. */
export function tokenBucket(options: {
  readonly maxKeys: number | (() => number);
  readonly clock?: Clock;
  readonly onSweep?: (removed: number) => void;
}): TokenBucket {
  const clock = options.clock ?? monotonic;
  const buckets = lru<string, Bucket>(options.maxKeys);
  let takes = 0;

  const refill = (bucket: Bucket, now: number): void => {
    bucket.tokens = Math.min(bucket.burst, bucket.tokens + ((now - bucket.at) * bucket.perMinute) / 60_000);
    bucket.at = now;
  };
  const sweep = (): number => {
    const now = clock();
    const before = buckets.size;
    for (const [key, bucket] of buckets) {
      refill(bucket, now);
      if (bucket.tokens >= bucket.burst) buckets.delete(key);
    }
    const removed = before - buckets.size;
    if (removed > 0) options.onSweep?.(removed);
    return removed;
  };

  return {
    sweep,
    size: () => buckets.size,
    take(key, perMinute, burst = perMinute) {
      // A sweep is linear, so it runs once per as many takes as there are keys: amortised constant cost.
      if (++takes >= 100 && takes >= buckets.size) {
        takes = 0;
        sweep();
      }
      const now = clock();
      let bucket = buckets.get(key);
      // A changed limit keeps the tokens: otherwise every configuration reload would refill the bucket.
      if (bucket === undefined || bucket.perMinute !== perMinute || bucket.burst !== burst) {
        bucket = { tokens: Math.min(bucket?.tokens ?? burst, burst), at: now, perMinute, burst };
        buckets.set(key, bucket);
      } else {
        refill(bucket, now);
      }
      if (bucket.tokens >= 1) {
        bucket.tokens -= 1;
        return { ok: true, limit: burst, remaining: Math.floor(bucket.tokens), retryAfterMs: 0 };
      }
      return {
        ok: false,
        limit: burst,
        remaining: 0,
        retryAfterMs: Math.ceil(((1 - bucket.tokens) * 60_000) / perMinute),
      };
    },
  };
}
