import type { JsonObject } from '../../core/json.js';
import type { CallTotals } from './metrics.js';

/** One interval: counts of that interval, gauges at its end. */
interface HistoryPoint {
  readonly at: number;
  readonly values: JsonObject;
}

/** Numbers of the last hour, kept from the start on, so that plots are not empty when a page is opened. */
export interface MetricsHistory {
  points(minutes: number): readonly HistoryPoint[];
  /** Times of restarts and reloads, for markers in plots. */
  readonly marks: readonly { readonly at: number; readonly what: string }[];
  mark(what: string): void;
  /** Adds a number that is read at the end of each interval. */
  addGauge(name: string, read: () => number): void;
  stop(): void;
}

interface HistoryOptions {
  readonly totals: () => CallTotals;
  /** Durations and refusals since the last sample, which it takes. */
  readonly takeInterval: () => JsonObject;
  readonly everyMs?: number;
  readonly now?: () => number;
}

const maxPoints = 720;
const maxMarks = 100;

/** Samples the totals every five seconds: 720 points of about 100 bytes. */
export function metricsHistory({
  totals,
  takeInterval,
  everyMs = 5_000,
  now = Date.now,
}: HistoryOptions): MetricsHistory {
  const points: HistoryPoint[] = [];
  const gauges = new Map<string, () => number>();
  const marks: { at: number; what: string }[] = [{ at: now(), what: 'started' }];
  const readGauges = (): JsonObject => Object.fromEntries([...gauges].map(([name, read]) => [name, read()]));
  const sample = (): void => {
    const { active } = totals();
    points.push({ at: now(), values: { active, ...readGauges(), ...takeInterval() } });
    if (points.length > maxPoints) points.shift();
  };
  const timer = setInterval(sample, everyMs).unref();
  return {
    points(minutes) {
      const since = now() - minutes * 60_000;
      return points.filter(({ at }) => at >= since);
    },
    marks,
    mark(what) {
      marks.push({ at: now(), what });
      if (marks.length > maxMarks) marks.shift();
    },
    addGauge: (name, read) => void gauges.set(name, read),
    stop: () => clearInterval(timer),
  };
}
