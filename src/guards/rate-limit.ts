import type { Guard } from '../core/guard.js';
import { refuse } from '../core/outcome.js';
import type { TokenBucket } from '../lib/token-bucket.js';

/** Rate limit per principal and tool; does not apply to tools without a rate. */
export function rateLimit(options: {
  readonly bucket: TokenBucket;
  /** Calls allowed in a burst; as many as per minute by default. */
  readonly burst?: number;
}): Guard {
  return (tool, next) => {
    const perMinute = tool.limits.ratePerMinute;
    if (perMinute <= 0) return next;
    return (call) => {
      const result = options.bucket.take(`${call.principal.id}\0${tool.name}`, perMinute, options.burst);
      if (result.ok) return next(call);
      return Promise.resolve(
        refuse('rate_limited', `Rate limit exceeded: ${tool.name} allows ${perMinute} calls per minute`, {
          hint: `Try again in ${Math.ceil(result.retryAfterMs / 1000)} s`,
          retryAfterMs: result.retryAfterMs,
          data: { limit: result.limit, remaining: result.remaining },
        }),
      );
    };
  };
}
