import { circuit, type Circuit, type CircuitOptions, type CircuitState } from '../../lib/circuit.js';

/** When the breaker of an origin opens, and how long it rests. */
export interface Thresholds {
  readonly failures: number;
  readonly restMs: number;
}

/** One breaker an origin, shared by all tools that call there and kept over reloads. */
export interface OriginBreakers {
  /** Says which origins are called now; one that is still called under the same thresholds keeps its state. */
  use(origins: ReadonlyMap<string, Thresholds>): void;
  of(origin: string): Circuit;
}

export interface OriginBreakersOptions extends Pick<CircuitOptions, 'clock' | 'random'> {
  readonly onBreaker?: (origin: string, from: CircuitState, to: CircuitState) => void;
}

const usual: Thresholds = { failures: 5, restMs: 60_000 };

/** Makes the breakers; their state lives in memory, so a restart begins closed. */
export function originBreakers({ onBreaker, ...options }: OriginBreakersOptions = {}): OriginBreakers {
  let kept = new Map<string, Thresholds & { readonly circuit: Circuit }>();
  const made = (origin: string, thresholds: Thresholds) => ({
    ...thresholds,
    circuit: circuit({ ...options, ...thresholds, onChange: (from, to) => onBreaker?.(origin, from, to) }),
  });

  return {
    use(origins) {
      const before = kept;
      kept = new Map();
      for (const [origin, thresholds] of origins) {
        const known = before.get(origin);
        kept.set(
          origin,
          known?.failures === thresholds.failures && known.restMs === thresholds.restMs
            ? known
            : made(origin, thresholds),
        );
      }
    },
    of(origin) {
      let known = kept.get(origin);
      if (known === undefined) kept.set(origin, (known = made(origin, usual)));
      return known.circuit;
    },
  };
}

/** The strictest of several thresholds for each origin: whoever trusts an address least decides. */
export function strictest(
  wanted: Iterable<readonly [origin: string, thresholds: Thresholds]>,
): ReadonlyMap<string, Thresholds> {
  const all = new Map<string, Thresholds>();
  for (const [origin, { failures, restMs }] of wanted) {
    const known = all.get(origin);
    all.set(
      origin,
      known
        ? { failures: Math.min(known.failures, failures), restMs: Math.max(known.restMs, restMs) }
        : { failures, restMs },
    );
  }
  return all;
}
