import type { Guard } from '../core/guard.js';
import { refuse } from '../core/outcome.js';
import type { TokenBucket } from '../lib/token-bucket.js';

/** Gives each principal its own rate for each tool. A tool with no rate is left alone. */
export function rateLimit(options: { readonly bucket: TokenBucket }): Guard {
  return (tool, next) => {
    const perMinute = tool.limits.ratePerMinute;
    if (perMinute <= 0) return next;
    return (call) => {
      const taken = options.bucket.take(`${call.principal.id}\0${tool.name}`, perMinute);
      if (taken.ok) return next(call);
      return Promise.resolve(
        refuse('rate_limited', `Rate limit exceeded: ${tool.name} allows ${perMinute} calls a minute`, {
          hint: `Try again in ${Math.ceil(taken.retryAfterMs / 1000)} s`,
          retryAfterMs: taken.retryAfterMs,
          data: { limit: taken.limit, remaining: taken.remaining },
        }),
      );
    };
  };
}
