import { useRemote, type Remote } from './remote.js';

/** One interval of five seconds: counts of that interval, gauges at its end. */
export interface HistoryPoint {
  readonly at: number;
  readonly calls: number;
  readonly failed: number;
  /** Refusals by code. */
  readonly refused: Readonly<Record<string, number>>;
  /** Milliseconds; null without calls, which leaves a gap in the plot instead of a false zero. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly active: number;
  readonly queued?: number;
}

export interface MetricsHistory {
  readonly step_seconds: number;
  /** Sorted by time, oldest first. */
  readonly points: readonly HistoryPoint[];
  readonly marks: readonly { readonly at: number; readonly what: string }[];
  /** Guards that answer with each code. */
  readonly guards: Readonly<Record<string, string>>;
}

/** Numbers that the gateway kept before the page was opened. */
export const useHistory = (minutes: number): Remote<MetricsHistory> =>
  useRemote<MetricsHistory>(`/metrics/history?minutes=${minutes}`, { everyMs: 5_000 });

/** Refusals of a point by the guard that answers so. */
export function refusalsByGuard(
  { refused }: HistoryPoint,
  guards: MetricsHistory['guards'],
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [code, count] of Object.entries(refused)) {
    // Codes come from the network: `hasOwn` keeps a code named `constructor` from reading the prototype.
    const guard = Object.hasOwn(guards, code) ? (guards[code] ?? code) : code;
    sums.set(guard, (sums.get(guard) ?? 0) + count);
  }
  return sums;
}
