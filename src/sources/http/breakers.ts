import { callerCircuits, type CallerCircuits } from '../../lib/caller-circuits.js';
import type { CircuitOptions, CircuitState } from '../../lib/circuit.js';

/** When the breaker of an origin opens, and for how long. */
export interface Thresholds {
  readonly failures: number;
  readonly cooldownMs: number;
}

/** One circuit breaker per origin, shared by all tools that call it and preserved across reloads. */
export interface OriginBreakers {
  /**
   * Sets the origins that a source uses, and returns a function that withdraws them; the strictest thresholds of all sources apply.
   * A breaker with unchanged thresholds keeps its state.
   */
  use(origins: ReadonlyMap<string, Thresholds>, source?: string): () => void;
  /** The breaker of an origin; follows later changes of its thresholds. */
  get(origin: string): CallerCircuits;
}

interface OriginBreakersOptions extends Pick<CircuitOptions, 'clock' | 'random'> {
  readonly onBreaker?: (origin: string, from: CircuitState, to: CircuitState) => void;
}

const defaultThresholds: Thresholds = { failures: 5, cooldownMs: 60_000 };

/** Creates the breakers; their state is in memory, so they are closed after a restart. */
export function originBreakers({ onBreaker, ...options }: OriginBreakersOptions = {}): OriginBreakers {
  const wanted = new Map<string, ReadonlyMap<string, Thresholds>>();
  let breakers = new Map<string, Thresholds & { readonly circuit: CallerCircuits }>();
  const createBreaker = (origin: string, thresholds: Thresholds) => ({
    ...thresholds,
    circuit: callerCircuits({ ...options, ...thresholds, onChange: (from, to) => onBreaker?.(origin, from, to) }),
  });
  const settle = (): void => {
    const previous = breakers;
    breakers = new Map();
    for (const [origin, thresholds] of strictestThresholds([...wanted.values()].flatMap((each) => [...each]))) {
      const known = previous.get(origin);
      breakers.set(
        origin,
        known?.failures === thresholds.failures && known.cooldownMs === thresholds.cooldownMs
          ? known
          : createBreaker(origin, thresholds),
      );
    }
  };
  const current = (origin: string): CallerCircuits => {
    let known = breakers.get(origin);
    if (known === undefined) breakers.set(origin, (known = createBreaker(origin, defaultThresholds)));
    return known.circuit;
  };

  return {
    use(origins, source = '') {
      wanted.set(source, origins);
      settle();
      return () => {
        // A replaced source closes after its successor opened, whose thresholds stay.
        if (wanted.get(source) !== origins) return;
        wanted.delete(source);
        settle();
      };
    },
    get: (origin) => ({
      admit: (caller) => current(origin).admit(caller),
      status: (caller) => current(origin).status(caller),
      reset: () => current(origin).reset(),
      configure: (settings) => current(origin).configure(settings),
    }),
  };
}

/** Merges thresholds per origin: the strictest tool wins. */
export function strictestThresholds(
  wanted: Iterable<readonly [origin: string, thresholds: Thresholds]>,
): ReadonlyMap<string, Thresholds> {
  const all = new Map<string, Thresholds>();
  for (const [origin, { failures, cooldownMs }] of wanted) {
    const known = all.get(origin);
    all.set(
      origin,
      known
        ? { failures: Math.min(known.failures, failures), cooldownMs: Math.max(known.cooldownMs, cooldownMs) }
        : { failures, cooldownMs },
    );
  }
  return all;
}
