import type { Soon } from '../lib/soon.js';

/** A rate that a call is charged to. */
export interface RateCharge {
  readonly kind: 'rate';
  readonly key: string;
  readonly perMinute: number;
  readonly burst: number;
}

/** One limit that a call is charged to. */
export type LimitCharge = RateCharge | { readonly kind: 'budget'; readonly key: string; readonly perDay: number };

/** Result of charging a call: all limits were charged, or none and the first that is exhausted. */
export type ChargeResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly index: number; readonly retryAfterMs: number; readonly unavailable?: boolean };

/** Limits that several replicas enforce together. */
export interface Counters {
  /** Charges one call to all of its limits, in one round trip. */
  spend(charges: readonly LimitCharge[]): Soon<ChargeResult>;
}

/** Labels that several replicas record together. */
export interface SharedLabels {
  add(key: string, labels: readonly string[], ttlMs: number): Promise<void>;
  of(key: string): Promise<readonly string[]>;
}
