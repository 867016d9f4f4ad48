import type { Clock } from './clock.js';
import { monotonic } from './clock.js';
import { lru } from './lru.js';

interface Level {
  tokens: number;
  at: number;
  perMinute: number;
  burst: number;
}

/** What taking a token said. */
export interface Taken {
  readonly ok: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until one token is there again; 0 where one was taken. */
  readonly retryAfterMs: number;
}

export interface TokenBucket {
  take(key: string, perMinute: number, burst?: number): Taken;
  size(): number;
  /** Drops keys that have filled up again; says how many. */
  sweep(): number;
}

/** Token buckets by key: at most `maxKeys` of them, the longest unused one leaves first. */
export function tokenBucket(options: {
  readonly maxKeys: number;
  readonly clock?: Clock;
  readonly onSweep?: (removed: number) => void;
}): TokenBucket {
  const clock = options.clock ?? monotonic;
  const levels = lru<string, Level>(options.maxKeys);
  let takes = 0;

  const refill = (level: Level, now: number): void => {
    level.tokens = Math.min(level.burst, level.tokens + ((now - level.at) * level.perMinute) / 60_000);
    level.at = now;
  };
  const sweep = (): number => {
    const now = clock();
    const before = levels.size;
    for (const [key, level] of levels) {
      refill(level, now);
      if (level.tokens >= level.burst) levels.delete(key);
    }
    const removed = before - levels.size;
    if (removed > 0) options.onSweep?.(removed);
    return removed;
  };

  return {
    sweep,
    size: () => levels.size,
    take(key, perMinute, burst = perMinute) {
      // A full sweep is linear, so it waits for as many takes as there are keys: the cost per take stays constant.
      if (++takes >= 100 && takes >= levels.size) {
        takes = 0;
        sweep();
      }
      const now = clock();
      let level = levels.get(key);
      if (level === undefined || level.perMinute !== perMinute || level.burst !== burst) {
        level = { tokens: Math.min(level?.tokens ?? burst, burst), at: now, perMinute, burst };
        levels.set(key, level);
      } else {
        refill(level, now);
      }
      if (level.tokens >= 1) {
        level.tokens -= 1;
        return { ok: true, limit: burst, remaining: Math.floor(level.tokens), retryAfterMs: 0 };
      }
      return {
        ok: false,
        limit: burst,
        remaining: 0,
        retryAfterMs: Math.ceil(((1 - level.tokens) * 60_000) / perMinute),
      };
    },
  };
}
