import type { ToolError } from '../../core/errors.js';
import type { Allowances } from '../../guards/allowance.js';
import type { ToolRates } from '../../guards/rate-limit.js';
import type { Counters } from '../../state/counters.js';
import type { CallLimits } from './limits.js';
import { limitExhausted } from './limits.js';

/**
 * Limits over all replicas, charged where the embedded ones are: the rate of a tool before validation, because wrong calls count, and
 * limits over several tools after authorization, because a denied call must not spend what other callers share. Each is one round
 * trip; a call that exhausts any limit of a step is charged to none of them.
 */
export function sharedLimits(
  counters: Counters,
  limits: CallLimits,
): { readonly rates: ToolRates; readonly allowances: Allowances } {
  const takeAllowances = async (charges: ReturnType<CallLimits['charges']>): Promise<ToolError | undefined> => {
    const result = await counters.spend(charges.map(({ charge }) => charge));
    if (result.ok) return undefined;
    return result.unavailable
      ? {
          code: 'state_unavailable',
          message: 'The limits of this call cannot be read',
          retryAfterMs: result.retryAfterMs,
        }
      : limitExhausted(charges[result.index]?.limit ?? '', result.retryAfterMs);
  };

  return {
    rates: {
      async take(call, tool, perMinute, burst = perMinute) {
        const key = `tool\0${call.principal.id}\0${tool.name}`;
        const result = await counters.spend([{ kind: 'rate', key, perMinute, burst }]);
        return {
          ok: result.ok,
          limit: burst,
          remaining: 0,
          retryAfterMs: result.ok ? 0 : result.retryAfterMs,
          ...(!result.ok && result.unavailable && { unavailable: true }),
        };
      },
    },
    allowances: {
      take({ principal }, tool) {
        const charges = limits.charges(principal, tool);
        return charges.length === 0 ? undefined : takeAllowances(charges);
      },
    },
  };
}
