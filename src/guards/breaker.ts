import type { ErrorCode } from '../core/errors.js';
import { errors } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import { refuse } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import type { Circuit, CircuitOptions, CircuitState, Verdict } from '../lib/circuit.js';
import { circuit } from '../lib/circuit.js';

export interface Breakers {
  readonly guard: Guard;
  of(tool: string): Circuit | undefined;
  /** Lets go of the breakers of tools that are no more. */
  keep(tools: ReadonlySet<string>): void;
}

export interface BreakersOptions {
  /** Thresholds, by tool. */
  readonly settings: (tool: Tool) => Pick<CircuitOptions, 'failures' | 'restMs'>;
  readonly onChange?: (tool: string, from: CircuitState, to: CircuitState) => void;
  readonly circuit?: Omit<CircuitOptions, 'failures' | 'restMs' | 'onChange'>;
}

/** One breaker a tool: after failures in a row it rests and refuses without starting anything. Which errors count is in the error table. */
export function breakers(options: BreakersOptions): Breakers {
  const circuits = new Map<string, Circuit>();

  const guard: Guard = (tool, next) => {
    // A tool that is wired anew after a reload keeps its history: otherwise a reload would forget that it is down.
    let own = circuits.get(tool.name);
    if (own === undefined) {
      own = circuit({
        ...options.circuit,
        ...options.settings(tool),
        onChange: (from, to) => options.onChange?.(tool.name, from, to),
      });
      circuits.set(tool.name, own);
    }
    const breaker = own;

    return async (call) => {
      const ticket = breaker.admit();
      if (typeof ticket === 'number') {
        return refuse('circuit_open', `${tool.name} failed repeatedly and rests`, {
          hint: `Try again in ${Math.ceil(ticket / 1000)} s`,
          retryAfterMs: Math.ceil(ticket),
        });
      }
      let verdict: Verdict = 'failure';
      try {
        const outcome = await next(call);
        verdict = judged(outcome);
        return outcome;
      } finally {
        ticket(verdict);
      }
    };
  };

  return {
    guard,
    of: (tool) => circuits.get(tool),
    keep(tools) {
      for (const name of circuits.keys()) if (!tools.has(name)) circuits.delete(name);
    },
  };
}

/** The tool answered, if only to say no. */
const answers: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['execution_failed', 'upstream_error', 'upstream_refused']);

function judged(outcome: Outcome): Verdict {
  if (outcome.kind !== 'failed') return 'success';
  if (errors[outcome.error.code].tripsBreaker) return 'failure';
  // A caller's hang-up or a refusal before the tool says nothing about it.
  return answers.has(outcome.error.code) ? 'success' : 'neutral';
}
