import type { Clock } from './clock.js';
import { monotonic } from './clock.js';

export type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitOptions {
  /** Consecutive failures that open the circuit. */
  readonly failures: number;
  readonly cooldownMs: number;
  /** Each failed probe lengthens the cooldown by this factor, up to the maximum. */
  readonly backoff?: number;
  readonly maxCooldownMs?: number;
  /** Random share of the cooldown, so that many gateways do not probe at once (thundering herd). */
  readonly jitter?: number;
  /**
   * Number of the latest recovery of the target. A circuit that opened on calls from before it is probed at once, since its
   * cooldown was about a server that has been replaced; only once, or calls that crash the server would keep it crashing.
   */
  readonly recovery?: (() => number) | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onChange?: (from: CircuitState, to: CircuitState) => void;
}

/** What a finished call proves about the health of its target. */
export type CircuitOutcome = 'success' | 'failure' | 'neutral';

export interface Circuit {
  /** Returns a callback that records the outcome once, or the milliseconds until a retry is allowed. */
  admit(): ((outcome: CircuitOutcome) => void) | number;
  /** Counts the outcome of a call that needed no ticket and began after a recovery; ignored unless the circuit is closed. */
  record(outcome: CircuitOutcome, recovery?: number): void;
  state(): CircuitState;
  failures(): number;
  /** 0 unless the circuit is open and the target still the one that failed. */
  retryAfterMs(): number;
  reset(): void;
}

/** Circuit breaker. The options are read anew each time, so thresholds may change while it is in use. Opens after consecutive failures, and after a cooldown lets exactly one probe through (half-open). */
export function circuit(options: CircuitOptions): Circuit {
  const { clock = monotonic, random = Math.random, onChange } = options;
  let state: CircuitState = 'closed';
  let failures = 0;
  let cooldown = options.cooldownMs;
  let openUntil = 0;
  let probing = false;
  // A call that began before a transition proves nothing about the time after it.
  let epoch = 0;
  // The latest recovery before a call that failed.
  let failedAfter = 0;
  let wasProbedEarly = false;
  const mayProbeEarly = (): boolean => !wasProbedEarly && (options.recovery?.() ?? 0) > failedAfter;

  function change(to: CircuitState): void {
    const from = state;
    state = to;
    epoch += 1;
    probing = false;
    if (from !== to) onChange?.(from, to);
  }
  function open(): void {
    openUntil = clock() + cooldown * (1 + (options.jitter ?? 0.1) * (2 * random() - 1));
    change('open');
  }
  function close(): void {
    failures = 0;
    wasProbedEarly = false;
    cooldown = options.cooldownMs;
    if (state !== 'closed') change('closed');
  }
  function settle(outcome: CircuitOutcome, startEpoch: number, recovery: number): void {
    if (outcome === 'failure') failedAfter = Math.max(failedAfter, recovery);
    if (startEpoch !== epoch) return;
    if (state === 'half_open') {
      probing = false;
      if (outcome === 'success') close();
      else if (outcome === 'failure') {
        const { backoff = 1.5, maxCooldownMs = 300_000, cooldownMs } = options;
        cooldown = Math.min(cooldown * backoff, Math.max(maxCooldownMs, cooldownMs));
        open();
      }
    } else if (outcome === 'success') {
      failures = 0;
    } else if (outcome === 'failure' && ++failures >= options.failures) {
      if (state === 'closed') cooldown = options.cooldownMs;
      open();
    }
  }

  return {
    state: () => state,
    failures: () => failures,
    retryAfterMs: () => (state === 'open' && !mayProbeEarly() ? Math.max(0, openUntil - clock()) : 0),
    reset() {
      close();
    },
    record(outcome, recovery = 0) {
      if (state === 'closed') settle(outcome, epoch, recovery);
      else if (outcome === 'failure') failedAfter = Math.max(failedAfter, recovery);
    },
    admit() {
      if (state === 'open') {
        const wait = openUntil - clock();
        if (wait > 0) {
          if (!mayProbeEarly()) return wait;
          wasProbedEarly = true;
        }
        change('half_open');
      }
      if (state === 'half_open') {
        if (probing) return Math.min(cooldown, 1000);
        probing = true;
      }
      const born = epoch;
      const recovery = options.recovery?.() ?? 0;
      let isSettled = false;
      return (outcome) => {
        if (isSettled) return;
        isSettled = true;
        settle(outcome, born, recovery);
      };
    },
  };
}
