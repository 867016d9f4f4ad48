import type { Call } from '../core/call.js';
import { errors } from '../core/errors.js';
import type { ToolStatus } from '../core/gateway.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { refuseUnreached } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import type { CallerCircuits } from '../lib/caller-circuits.js';
import { callerCircuits } from '../lib/caller-circuits.js';
import type { CircuitOptions, CircuitState, CircuitOutcome } from '../lib/circuit.js';
import { guardSpec } from './guard-spec.js';

export interface Breakers {
  readonly guard: Guard;
  get(tool: string): CallerCircuits | undefined;
  /** Present thresholds and periods of a tool, also of one that was never called. */
  readonly settings: BreakersOptions['settings'];
  /** Drops breakers of tools that no longer exist. */
  retainOnly(tools: ReadonlySet<string>): void;
}

interface BreakersOptions {
  /** Present thresholds and periods, by tool. */
  readonly settings: (tool: Tool) => Omit<CircuitOptions, 'onChange' | 'clock' | 'random'>;
  readonly onChange?: (tool: string, from: CircuitState, to: CircuitState) => void;
  readonly circuit?: Pick<CircuitOptions, 'clock' | 'random'>;
}

/**
 * One circuit breaker per tool and caller: refuses calls during the cooldown after consecutive failures, and refuses all callers
 * while those of two are open. The error table defines which errors count.
 */
export function breakers(options: BreakersOptions): Breakers {
  const circuits = new Map<string, CallerCircuits>();

  const guard: Guard = (tool, next) => {
    // A tool that is composed again after a reload keeps its breaker, with the new settings: a new one would close an open circuit.
    let existing = circuits.get(tool.name);
    const settings = { ...options.settings(tool), recovery: tool.recovery };
    if (existing === undefined) {
      existing = callerCircuits({
        ...options.circuit,
        ...settings,
        onChange: (from, to) => options.onChange?.(tool.name, from, to),
      });
      circuits.set(tool.name, existing);
    } else existing.configure(settings);
    const breaker = existing;

    return async (call) => {
      const ticket = breaker.admit(call.principal.id);
      if (typeof ticket === 'number') {
        return refuseUnreached('circuit_open', `${tool.name} failed repeatedly; its circuit breaker is open`, {
          hint: `Try again in ${Math.ceil(ticket / 1000)} s`,
          retryAfterMs: Math.ceil(ticket),
        });
      }
      let result: CircuitOutcome = 'failure';
      try {
        const outcome = await next(call);
        result = toCircuitOutcome(outcome, tool, hasDefaultDeadline(call, tool));
        return outcome;
      } finally {
        ticket(result);
      }
    };
  };

  return {
    guard,
    get: (tool) => circuits.get(tool),
    settings: options.settings,
    retainOnly(tools) {
      for (const name of circuits.keys()) if (!tools.has(name)) circuits.delete(name);
    },
  };
}

/** Whether the call was granted at least the tool's default time. */
const hasDefaultDeadline = ({ timeoutMs }: Call, { limits }: Tool): boolean =>
  timeoutMs === undefined || timeoutMs >= Math.min(limits.timeoutMs, limits.maxTimeoutMs);

function toCircuitOutcome(outcome: Outcome, { breaker }: Tool, hadDefaultDeadline: boolean): CircuitOutcome {
  if (outcome.kind !== 'failed') return 'success';
  // A deadline shorter than the default is the caller's choice and proves nothing about the tool.
  if (outcome.error.code === 'timeout' && !hadDefaultDeadline) return 'neutral';
  const { tripsBreaker } = errors[outcome.error.code];
  if (breaker?.counts?.includes(outcome.error.code) ?? tripsBreaker) return 'failure';
  if (tripsBreaker) return 'neutral'; // the declaration of the tool leaves it out
  // A disconnect of the caller or a refusal before the tool ran proves nothing about the tool.
  return errors[outcome.error.code].answered ? 'success' : 'neutral';
}

export const breakerSpec = guardSpec({
  name: 'breaker',
  does: 'circuit breaker with one half-open probe',
  answers: 'circuit_open',
  make: ({ breakers: circuits }: { readonly breakers?: Pick<Breakers, 'guard'> }) => circuits?.guard,
});

/**
 * The breaker that refuses calls of a tool: its own, or that of the service behind it. One that only another caller has opened
 * lets this caller pass; without a caller it is the worst of all.
 */
export function shownBreaker(
  breakers: Pick<Breakers, 'get' | 'settings'>,
  tool: Tool,
  caller: string | undefined,
): ToolStatus['breaker'] {
  const { failures: threshold, cooldownMs } = breakers.settings(tool);
  const status = breakers.get(tool.name)?.status(caller) ?? { state: 'closed' as const, failures: 0, retryAfterMs: 0 };
  const own = { ...status, threshold, cooldownMs };
  const origin = tool.origin?.status(caller);
  if (tool.origin === undefined || origin === undefined || own.state !== 'closed' || origin.state === 'closed')
    return own;
  return { ...origin, origin: tool.origin.url };
}
