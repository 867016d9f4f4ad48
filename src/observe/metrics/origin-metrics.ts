import type { BreakerState } from './call-metrics.js';
import type { Family } from './metric-families.js';

const STATE_VALUE = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<BreakerState, number>;
/** Limits the number of series (cardinality). */
const MAX_ORIGINS = 1_000;

/** Circuit breaker metrics by origin; an origin appears with its first state change. */
export function originMetrics() {
  const states = new Map<string, BreakerState>();
  const transitions = new Map<string, Map<BreakerState, number>>();
  const families: readonly Family[] = [
    {
      name: 'mcp_origin_circuit_breaker_state',
      help: 'State of the circuit breaker by called origin: 0 closed, 1 half-open, 2 open',
      type: 'gauge',
      samples: () => [...states].map(([origin, state]) => ({ labels: { origin }, value: STATE_VALUE[state] })),
    },
    {
      name: 'mcp_origin_circuit_breaker_transitions_total',
      help: 'State changes of the circuit breaker, by called origin and new state',
      type: 'counter',
      samples: () =>
        [...transitions].flatMap(([origin, byState]) =>
          [...byState].map(([state, value]) => ({ labels: { origin, state }, value })),
        ),
    },
  ];
  return {
    families,
    breakerChanged(origin: string, state: BreakerState): void {
      if (!states.has(origin) && states.size >= MAX_ORIGINS) return;
      states.set(origin, state);
      const byState = transitions.get(origin) ?? new Map<BreakerState, number>();
      transitions.set(origin, byState.set(state, (byState.get(state) ?? 0) + 1));
    },
  };
}
