import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import { isNamedBy } from '../../core/tool.js';
import type { Allowances } from '../../guards/allowance.js';
import { anyGlob } from '../../lib/text/glob.js';
import type { TokenBucket } from '../../lib/token-bucket.js';
import type { LimitCharge } from '../../state/counters.js';
import type { Call } from '../../core/call.js';
import type { ToolError } from '../../core/errors.js';
import type { Budgets } from './budgets.js';

/** A rate limit or budget over several tools or callers. */
export interface Limit {
  readonly id: string;
  readonly principals: readonly string[];
  readonly roles: readonly string[];
  readonly tools: readonly string[];
  readonly calls_per_minute?: number;
  readonly calls_per_day?: number;
  /** Counts all callers together. */
  readonly shared: boolean;
}

/** Limits of a configuration, enforced here, or as charges for counters that replicas share. */
export interface CallLimits extends Allowances {
  take(call: Pick<Call, 'principal'>, tool: Tool): ToolError | undefined;
  about(principal: Principal, tool: Tool): readonly JsonObject[];
  charges(principal: Principal, tool: Tool): readonly { readonly limit: string; readonly charge: LimitCharge }[];
}

/** Error of a call that exhausted a limit. */
export const limitExhausted = (id: string, retryAfterMs: number): ToolError => ({
  code: 'rate_limited',
  message: `Limit ${id} is exhausted`,
  hint: `Try again in ${Math.ceil(retryAfterMs / 1000)} s`,
  retryAfterMs,
  decision: { rule: id },
});

/** Enforces rate limits in memory and budgets in their store. */
export function callLimits(
  rules: readonly Limit[],
  options: {
    /** Tokens that are left; they survive reloads. */
    readonly rates: TokenBucket;
    readonly budgets: Budgets;
  },
): CallLimits {
  const { rates, budgets } = options;
  const compiled = rules.map((rule) => ({ rule, principals: anyGlob(rule.principals), tools: anyGlob(rule.tools) }));

  // Patterns are compiled once; matching costs a few comparisons per call.
  const applying = (principal: Principal, tool: Tool): readonly Limit[] =>
    compiled
      .filter(
        ({ rule, principals, tools }) =>
          principals(principal.id) &&
          isNamedBy(tool, tools) &&
          (rule.roles.length === 0 || rule.roles.some((role) => principal.roles.includes(role))),
      )
      .map(({ rule }) => rule);

  return {
    about: (principal, tool) =>
      applying(principal, tool).map(({ id, calls_per_minute: rate, calls_per_day: budget, shared }) => ({
        limit: id,
        ...(rate !== undefined && { calls_per_minute: rate }),
        ...(budget !== undefined && { calls_per_day: budget }),
        shared,
      })),
    take({ principal }, tool) {
      for (const { id, calls_per_minute: rate, calls_per_day: budget, shared } of applying(principal, tool)) {
        const key = shared ? id : `${id}\0${principal.id}`;
        // Rate before budget: a call that is too fast must not use up the day.
        const wait = rate === undefined ? 0 : rates.take(key, rate, Math.max(1, rate)).retryAfterMs;
        const retryAfterMs = wait > 0 || budget === undefined ? wait : budgets.spend(key, budget);
        if (retryAfterMs > 0) return limitExhausted(id, retryAfterMs);
      }
      return undefined;
    },
    charges: (principal, tool) =>
      applying(principal, tool).flatMap(({ id: limit, calls_per_minute: rate, calls_per_day: perDay, shared }) => {
        const key = `limit\0${limit}\0${shared ? '' : principal.id}`;
        return [
          ...(rate === undefined
            ? []
            : [{ limit, charge: { kind: 'rate', key, perMinute: rate, burst: Math.max(1, rate) } as const }]),
          ...(perDay === undefined ? [] : [{ limit, charge: { kind: 'budget', key, perDay } as const }]),
        ];
      }),
  };
}
