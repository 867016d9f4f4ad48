import type { Clock } from './clock.js';
import { monotonic } from './clock.js';

export type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  readonly restMs: number;
  /** Each failed probe lengthens the rest by this factor, up to the maximum. */
  readonly backoff?: number;
  readonly maxRestMs?: number;
  /** Share of the rest by which it varies, so that many gateways do not probe at once. */
  readonly jitter?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onChange?: (from: CircuitState, to: CircuitState) => void;
}

/** What a finished call says about the health of what it called. */
export type Verdict = 'success' | 'failure' | 'neutral';

export interface Circuit {
  /** A ticket to be settled once, or how long to stay away. */
  admit(): ((verdict: Verdict) => void) | number;
  state(): CircuitState;
  failures(): number;
  /** 0 unless it is open. */
  retryAfterMs(): number;
  reset(): void;
}

/** Closed, open, half-open: rests after failures in a row, then lets exactly one probe through. */
export function circuit(options: CircuitOptions): Circuit {
  const {
    failures: threshold,
    restMs,
    backoff = 1.5,
    maxRestMs = 300_000,
    jitter = 0.1,
    clock = monotonic,
    random = Math.random,
    onChange,
  } = options;
  let state: CircuitState = 'closed';
  let failures = 0;
  let rest = restMs;
  let openUntil = 0;
  let probing = false;
  // A call that began before a change of state says nothing about the time after it.
  let epoch = 0;

  function change(to: CircuitState): void {
    const from = state;
    state = to;
    epoch += 1;
    probing = false;
    if (from !== to) onChange?.(from, to);
  }
  function open(): void {
    openUntil = clock() + rest * (1 + jitter * (2 * random() - 1));
    change('open');
  }
  function close(): void {
    failures = 0;
    rest = restMs;
    if (state !== 'closed') change('closed');
  }
  function settle(verdict: Verdict, born: number): void {
    if (born !== epoch) return;
    if (state === 'half_open') {
      probing = false;
      if (verdict === 'success') close();
      else if (verdict === 'failure') {
        rest = Math.min(rest * backoff, Math.max(maxRestMs, restMs));
        open();
      }
    } else if (verdict === 'success') {
      failures = 0;
    } else if (verdict === 'failure' && ++failures >= threshold) {
      open();
    }
  }

  return {
    state: () => state,
    failures: () => failures,
    retryAfterMs: () => (state === 'open' ? Math.max(0, openUntil - clock()) : 0),
    reset() {
      close();
    },
    admit() {
      if (state === 'open') {
        const wait = openUntil - clock();
        if (wait > 0) return wait;
        change('half_open');
      }
      if (state === 'half_open') {
        if (probing) return Math.min(rest, 1000);
        probing = true;
      }
      const born = epoch;
      let settled = false;
      return (verdict) => {
        if (settled) return;
        settled = true;
        settle(verdict, born);
      };
    },
  };
}
