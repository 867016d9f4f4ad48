import type { Call } from '../core/call.js';
import type { Guard } from '../core/guard.js';
import { refuse, stateUnavailable } from '../core/outcome.js';
import type { Outcome } from '../core/outcome.js';
import { listedName, type Tool } from '../core/tool.js';
import type { TokenBucket } from '../lib/token-bucket.js';
import { guardSpec } from './guard-spec.js';

/** Result of charging a call to the rate of its tool. */
interface RateResult {
  readonly ok: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly retryAfterMs: number;
  /** Nothing was counted, because the counters of the replicas cannot be reached. */
  readonly unavailable?: boolean;
}

/** Counts calls of a principal and a tool. */
export interface ToolRates {
  take(call: Call, tool: Tool, perMinute: number, burst?: number): Promise<RateResult>;
}

/** Rate limit per principal and tool; does not apply to tools without a rate. */
export function rateLimit(options: {
  readonly bucket: TokenBucket;
  /** Counts over several replicas instead of the bucket. */
  readonly shared?: ToolRates;
  /** Calls allowed in a burst; as many as per minute by default. */
  readonly burst?: number;
}): Guard {
  return (tool, next) => {
    const perMinute = tool.limits.ratePerMinute;
    if (perMinute <= 0) return next;
    const refusalOf = ({ retryAfterMs, limit, remaining, unavailable }: RateResult): Outcome => {
      if (unavailable) return stateUnavailable('The rate limit of this call cannot be read');
      return refuse('rate_limited', `Rate limit exceeded: ${tool.name} allows ${perMinute} calls per minute`, {
        hint: `Try again in ${Math.ceil(retryAfterMs / 1000)} s; rate_limit.requests or tool.overrides.${listedName(tool)}.rate changes the limit`,
        retryAfterMs,
        data: { limit, remaining },
      });
    };
    return (call) => {
      if (options.shared)
        return options.shared
          .take(call, tool, perMinute, options.burst)
          .then((taken) => (taken.ok ? next(call) : refusalOf(taken)));
      const result = options.bucket.take(`${call.principal.id}\0${tool.name}`, perMinute, options.burst);
      return result.ok ? next(call) : Promise.resolve(refusalOf(result));
    };
  };
}

export interface RateParts {
  readonly bucket?: TokenBucket;
  /** Rates over several replicas. */
  readonly rates?: ToolRates | undefined;
  readonly config?: { readonly rate_limit: { readonly burst?: number | undefined } };
}

export const rateLimitSpec = guardSpec({
  name: 'rateLimit',
  does: 'token bucket per principal and tool; wrong calls count',
  answers: 'rate_limited',
  make({ bucket, rates, config }: RateParts) {
    const burst = config?.rate_limit.burst;
    return bucket && rateLimit({ bucket, ...(rates && { shared: rates }), ...(burst !== undefined && { burst }) });
  },
});
