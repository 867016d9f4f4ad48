import type { Clock } from '../lib/clock.js';
import { lru } from '../lib/lru.js';
import type { RateCharge } from './counters.js';

interface Share {
  tokens: number;
  at: number;
  calls: number;
  charge: RateCharge;
}

/** Rates of this replica alone while the shared counters cannot be reached. */
interface RateShares {
  /** The outage began at this time: every share was empty, because other replicas may have spent the whole burst a moment ago. */
  begin(since: number): void;
  /** Takes one call from the shares of all rates, or from none; returns the first rate that is exhausted. */
  take(
    charges: readonly RateCharge[],
    replicas: number,
  ): { readonly at: number; readonly retryAfterMs: number } | undefined;
  /** The outage is over: calls that were allowed, by rate, which the shared counters have to learn. */
  end(): readonly { readonly charge: RateCharge; readonly calls: number }[];
}

/**
 * Shares refill with limit/replicas and start empty. Before an outage the fleet has allowed at most burst + rate × time; during it all
 * replicas together add at most rate × time: the limit is never exceeded. A share that starts full would add up to a second burst at
 * every late answer of the engine.
 */
export function rateShares({ maxKeys, clock }: { readonly maxKeys: () => number; readonly clock: Clock }): RateShares {
  const shares = lru<string, Share>(maxKeys);
  let since = clock();

  const shareOf = (charge: RateCharge, replicas: number): Share => {
    const now = clock();
    const share = shares.get(charge.key) ?? { tokens: 0, at: since, calls: 0, charge };
    const count = Math.max(1, replicas);
    const cap = Math.max(1, Math.floor(charge.burst / count));
    share.tokens = Math.min(cap, share.tokens + ((now - share.at) * charge.perMinute) / count / 60_000);
    share.at = now;
    share.charge = charge;
    shares.set(charge.key, share);
    return share;
  };

  return {
    begin(from) {
      shares.clear();
      since = from;
    },
    take(charges, replicas) {
      const all = charges.map((charge) => shareOf(charge, replicas));
      const at = all.findIndex(({ tokens }) => tokens < 1);
      const exhausted = all[at];
      if (exhausted !== undefined) {
        const perMs = exhausted.charge.perMinute / Math.max(1, replicas) / 60_000;
        return { at, retryAfterMs: Math.ceil((1 - exhausted.tokens) / perMs) };
      }
      for (const share of all) {
        share.tokens -= 1;
        share.calls += 1;
      }
      return undefined;
    },
    end() {
      const spent = [...shares].flatMap(([, { charge, calls }]) => (calls > 0 ? [{ charge, calls }] : []));
      shares.clear();
      return spent;
    },
  };
}
