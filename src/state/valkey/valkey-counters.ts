import { hash } from 'node:crypto';
import { sha256 } from '../../lib/hash.js';
import { monotonic, type Clock } from '../../lib/clock.js';
import { lru } from '../../lib/lru.js';
import { EngineDown } from '../engine.js';
import { rateShares } from '../rate-shares.js';
import type { ChargeResult, Counters, LimitCharge, RateCharge } from '../counters.js';
import type { ValkeyEngine } from './open-valkey.js';

/**
 * Rates are GCRA on the server's clock, budgets are blocks taken from a daily counter. Nothing is written unless all limits allow
 * the call. ARGV per key: `r`, interval in ms, burst; or `b`, calls per day, block. Returns {0, index, wait ms} or {1, grants and
 * remaining lives of budgets…}.
 */
const spendScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local plan = {}
for i, key in ipairs(KEYS) do
  local kind, a, b = ARGV[i * 3 - 2], tonumber(ARGV[i * 3 - 1]), tonumber(ARGV[i * 3])
  if kind == 'r' then
    local tat = math.max(tonumber(redis.call('GET', key) or now), now)
    local wait = tat - (b - 1) * a - now
    if wait > 0 then return {0, i, math.ceil(wait)} end
    plan[i] = tat + a
  else
    local left = a - tonumber(redis.call('GET', key) or 0)
    if left < 1 then return {0, i, math.max(1, redis.call('PTTL', key))} end
    plan[i] = math.min(b, left)
  end
end
local answer = {1}
for i, key in ipairs(KEYS) do
  if ARGV[i * 3 - 2] == 'r' then
    redis.call('SET', key, string.format('%.3f', plan[i]), 'PX', math.max(1, math.ceil(plan[i] - now)))
  else
    if redis.call('INCRBY', key, plan[i]) == plan[i] then redis.call('PEXPIRE', key, 86400000) end
    answer[#answer + 1] = plan[i]
    answer[#answer + 1] = redis.call('PTTL', key)
  end
end
return answer`;

/** Charges calls that were allowed during an outage; never beyond an empty bucket. ARGV per key: interval in ms, burst, calls. */
const settleScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
for i, key in ipairs(KEYS) do
  local a, b, n = tonumber(ARGV[i * 3 - 2]), tonumber(ARGV[i * 3 - 1]), tonumber(ARGV[i * 3])
  local tat = math.min(math.max(tonumber(redis.call('GET', key) or now), now) + n * a, now + b * a)
  redis.call('SET', key, string.format('%.3f', tat), 'PX', math.max(1, math.ceil(tat - now)))
end`;

interface Block {
  left: number;
  readonly until: number;
}

interface ValkeyCountersOptions {
  /** Replicas that share the limits, this one included. */
  readonly replicas: () => number;
  /** What to do with rates while the engine is down: a share per replica, or refuse. */
  readonly onFailure: () => 'share' | 'refuse';
  readonly maxKeys: () => number;
  readonly clock?: Clock;
}

// Calls that a replica takes in advance: fewer round trips, and a bounded loss if it crashes.
const maxBlock = 64;
/** Longest time that a request waits for its answer. */
const maxUnansweredMs = 120;
/** Keys of one settlement; a longer script would delay the calls of all replicas. */
const maxSettledKeys = 100;

/** Counters in Valkey: one script call per tool call for all of its limits. */
export function valkeyCounters(
  { client, engine }: ValkeyEngine,
  { replicas, onFailure, maxKeys, clock = monotonic }: ValkeyCountersOptions,
): Counters {
  // The script is sent once; later calls name it by its hash.
  const sha = hash('sha1', spendScript);
  const blocks = lru<string, Block>(maxKeys);
  const shares = rateShares({ maxKeys, clock });
  /** When the last answered request was sent. */
  let answeredAt = clock();

  const run = async (keys: readonly string[], args: readonly (string | number)[]): Promise<readonly number[]> => {
    try {
      return (await client.evalsha(sha, keys.length, ...keys, ...args)) as number[]; // as the script returns
    } catch (error) {
      // The engine was restarted and has lost its scripts.
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return (await client.call('EVAL', spendScript, keys.length, ...keys, ...args)) as number[];
    }
  };
  engine.onChange((isUp) => {
    // Requests since the last answered one brought this replica nothing; its share of that time is still its own.
    if (!isUp) return shares.begin(Math.max(answeredAt, clock() - maxUnansweredMs));
    // Sent before any later charge on the same connection: nothing can pass in between.
    const spent = shares.end();
    for (let at = 0; at < spent.length; at += maxSettledKeys) {
      const part = spent.slice(at, at + maxSettledKeys);
      const args = part.flatMap(({ charge, calls }) => [...rateArguments(charge), calls]);
      const keys = part.map(({ charge }) => keyOf(charge));
      void engine.run(() => client.call('EVAL', settleScript, keys.length, ...keys, ...args)).catch(() => {});
    }
  });
  const blockOf = (key: string): Block | undefined => {
    const block = blocks.get(key);
    return block !== undefined && block.left > 0 && block.until > monotonic() ? block : undefined;
  };
  const charge = async (charges: readonly LimitCharge[]): Promise<ChargeResult> => {
    const paid = charges.map((each) => (each.kind === 'budget' ? blockOf(each.key) : undefined));
    // Taken at once, so that concurrent calls do not all see the same rest of a block; returned if another limit refuses.
    for (const block of paid) if (block) block.left -= 1;
    const asked = charges.map((each, index) => ({ each, index })).filter(({ index }) => paid[index] === undefined);
    const refund = (): void => {
      for (const block of paid) if (block) block.left += 1;
    };
    // All limits are covered by blocks taken earlier: no round trip.
    if (asked.length === 0) return { ok: true };
    const keys = asked.map(({ each }) => keyOf(each));
    const args = asked.flatMap(({ each }) =>
      each.kind === 'rate'
        ? ['r', ...rateArguments(each)]
        : // Two percent of the budget: what a crash can cost at most.
          ['b', each.perDay, Math.max(1, Math.min(maxBlock, Math.floor(each.perDay / 50)))],
    );
    try {
      const sentAt = clock();
      const [ok, ...rest] = [...(await engine.run(() => run(keys, args)))];
      // The time of sending, because the engine charged at some moment after it.
      answeredAt = Math.max(answeredAt, sentAt);
      if (ok !== 1) {
        refund();
        return { ok: false, index: asked[(rest[0] ?? 1) - 1]?.index ?? 0, retryAfterMs: rest[1] ?? 1_000 };
      }
      for (const { each } of asked.filter(({ each: { kind } }) => kind === 'budget')) {
        const [granted = 1, lifeMs = 0] = rest.splice(0, 2);
        // A concurrent call may have stored a block meanwhile; its rest is kept.
        const left = blockOf(each.key)?.left ?? 0;
        blocks.set(each.key, { left: left + granted - 1, until: monotonic() + lifeMs });
      }
      return { ok: true };
    } catch (error) {
      if (!(error instanceof EngineDown)) throw error;
      const refused = chargeAlone(asked);
      if (refused) refund();
      return refused ?? { ok: true };
    }
  };

  /** While the engine is down: a share of each rate, and no budget beyond the blocks that are already taken. */
  const chargeAlone = (
    asked: readonly { readonly each: LimitCharge; readonly index: number }[],
  ): Extract<ChargeResult, { ok: false }> | undefined => {
    const budget = asked.find(({ each }) => each.kind === 'budget');
    // Budgets cannot be shared out without the engine, so they are refused (fail closed).
    if (budget || onFailure() === 'refuse')
      return { ok: false, index: budget?.index ?? asked[0]?.index ?? 0, retryAfterMs: 1_000, unavailable: true };
    const rates = asked.flatMap(({ each, index }) => (each.kind === 'rate' ? [{ each, index }] : []));
    const refused = shares.take(
      rates.map(({ each }) => each),
      replicas(),
    );
    return refused && { ok: false, index: rates[refused.at]?.index ?? 0, retryAfterMs: refused.retryAfterMs };
  };

  return { spend: (charges) => (charges.length === 0 ? { ok: true } : charge(charges)) };
}

// Hashed: keys contain names of principals, which may be long or personal.
const keyOf = ({ kind, key }: LimitCharge): string => `tg:${kind === 'rate' ? 'r' : 'b'}:${sha256(key)}`;

const rateArguments = ({ perMinute, burst }: RateCharge): readonly [intervalMs: number, burst: number] => [
  60_000 / perMinute,
  Math.max(1, Math.floor(burst)),
];
