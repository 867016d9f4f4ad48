import type { CircuitOptions, CircuitOutcome, CircuitState, Circuit } from './circuit.js';
import { circuit } from './circuit.js';

interface CallerCircuitsOptions extends CircuitOptions {
  /** Callers with recent failures that are remembered; the oldest is evicted beyond that. */
  readonly maxCallers?: number;
}

/** State of the breaker for one caller, or the worst of all callers if none is given. */
interface CallerCircuitStatus {
  readonly state: CircuitState;
  readonly failures: number;
  /** Whole milliseconds; 0 unless the circuit is open. */
  readonly retryAfterMs: number;
  /** Consecutive failures that open the circuit. */
  readonly threshold: number;
}

/**
 * Circuit breaker that one caller cannot open for others (denial of service by choosing arguments or deadlines that fail). Each
 * caller has its own circuit; while those of two callers are open, all callers are refused.
 */
export interface CallerCircuits {
  /** Returns a callback that records the outcome once, or the milliseconds until a retry is allowed. */
  admit(caller: string): ((outcome: CircuitOutcome) => void) | number;
  status(caller?: string): CallerCircuitStatus;
  /** Closes the circuits of all callers. */
  reset(): void;
  /** Applies other thresholds and periods, also to circuits that are in use. */
  configure(settings: Omit<CircuitOptions, 'onChange' | 'clock' | 'random'>): void;
}

/** Callers that must see failures before all callers are refused. */
const outageCallers = 2;

export function callerCircuits(options: CallerCircuitsOptions): CallerCircuits {
  const { maxCallers = 1_000, onChange, ...settings } = options;
  // Only callers with failures have an entry: a healthy target costs one look-up in an empty map.
  const circuits = new Map<string, Circuit>();
  let reported: CircuitState = 'closed';

  const worstState = (): CircuitState => {
    let worst: CircuitState = 'closed';
    for (const each of circuits.values()) {
      if (each.state() === 'open') return 'open';
      if (each.state() === 'half_open') worst = 'half_open';
    }
    return worst;
  };
  function reportChange(): void {
    const from = reported;
    reported = worstState();
    if (from !== reported) onChange?.(from, reported);
  }

  /** Milliseconds until fewer than two circuits are open; 0 if that is so now. */
  function outageMs(): number {
    if (circuits.size < outageCallers) return 0;
    const waits = [...circuits.values()].map((each) => each.retryAfterMs()).sort((a, b) => b - a);
    return waits[outageCallers - 1] ?? 0;
  }

  function circuitOf(caller: string): Circuit {
    let own = circuits.get(caller);
    if (own === undefined) {
      const [oldest] = circuits.keys();
      if (circuits.size >= maxCallers && oldest !== undefined) circuits.delete(oldest);
      circuits.set(caller, (own = circuit(settings)));
    }
    return own;
  }

  /** A success after a caller's cooldown shows what its probe would show; a good probe shows it for all. */
  function recover(wasProbe: boolean): void {
    for (const [caller, each] of circuits)
      if (each.state() !== 'closed' && (wasProbe || each.retryAfterMs() === 0)) circuits.delete(caller);
  }

  function settle(
    caller: string,
    outcome: CircuitOutcome,
    recovery: number | undefined,
    probe: ((outcome: CircuitOutcome) => void) | undefined,
  ): void {
    if (outcome === 'neutral') return probe?.(outcome);
    if (probe !== undefined) probe(outcome);
    else if (outcome === 'failure') circuitOf(caller).record(outcome, recovery);
    else if (circuits.get(caller)?.state() === 'closed') circuits.delete(caller);
    if (outcome === 'success' && circuits.size > 0) recover(probe !== undefined);
    return reportChange();
  }

  return {
    admit(caller) {
      const own = circuits.get(caller);
      let probe: ((outcome: CircuitOutcome) => void) | undefined;
      if (own !== undefined && own.state() !== 'closed') {
        const ticket = own.admit();
        reportChange();
        if (typeof ticket === 'number') return ticket;
        probe = ticket;
      } else {
        const wait = outageMs();
        if (wait > 0) return wait;
      }
      const recovery = settings.recovery?.();
      let isSettled = false;
      return (outcome) => {
        if (isSettled) return;
        isSettled = true;
        settle(caller, outcome, recovery, probe);
      };
    },
    status(caller) {
      if (caller === undefined) {
        const all = [...circuits.values()];
        return {
          state: worstState(),
          failures: Math.max(0, ...all.map((each) => each.failures())),
          retryAfterMs: Math.ceil(Math.max(0, ...all.map((each) => each.retryAfterMs()))),
          threshold: settings.failures,
        };
      }
      const own = circuits.get(caller);
      const outage = own === undefined || own.state() === 'closed' ? outageMs() : 0;
      return {
        state: outage > 0 ? 'open' : (own?.state() ?? 'closed'),
        failures: own?.failures() ?? 0,
        retryAfterMs: Math.ceil(outage > 0 ? outage : (own?.retryAfterMs() ?? 0)),
        threshold: settings.failures,
      };
    },
    configure(changed) {
      Object.assign(settings, changed);
    },
    reset() {
      circuits.clear();
      reportChange();
    },
  };
}
