import type { Call } from '../core/call.js';
import { errors } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { refuseUnreached } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import type { CallerCircuits } from '../lib/caller-circuits.js';
import { callerCircuits } from '../lib/caller-circuits.js';
import type { CircuitOptions, CircuitState, CircuitOutcome } from '../lib/circuit.js';

export interface Breakers {
  readonly guard: Guard;
  get(tool: string): CallerCircuits | undefined;
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
    if (existing === undefined) {
      existing = callerCircuits({
        ...options.circuit,
        ...options.settings(tool),
        onChange: (from, to) => options.onChange?.(tool.name, from, to),
      });
      circuits.set(tool.name, existing);
    } else existing.configure(options.settings(tool));
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
        result = toCircuitOutcome(outcome, hasDefaultDeadline(call, tool));
        return outcome;
      } finally {
        ticket(result);
      }
    };
  };

  return {
    guard,
    get: (tool) => circuits.get(tool),
    retainOnly(tools) {
      for (const name of circuits.keys()) if (!tools.has(name)) circuits.delete(name);
    },
  };
}

/** Whether the call was granted at least the tool's default time. */
const hasDefaultDeadline = ({ timeoutMs }: Call, { limits }: Tool): boolean =>
  timeoutMs === undefined || timeoutMs >= Math.min(limits.timeoutMs, limits.maxTimeoutMs);

function toCircuitOutcome(outcome: Outcome, hadDefaultDeadline: boolean): CircuitOutcome {
  if (outcome.kind !== 'failed') return 'success';
  // A deadline shorter than the default is the caller's choice and proves nothing about the tool.
  if (outcome.error.code === 'timeout' && !hadDefaultDeadline) return 'neutral';
  if (errors[outcome.error.code].tripsBreaker) return 'failure';
  // A disconnect of the caller or a refusal before the tool ran proves nothing about the tool.
  return errors[outcome.error.code].answered ? 'success' : 'neutral';
}
