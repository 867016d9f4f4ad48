import type { JsonObject } from '../../core/json.js';
import type { AuditRecord } from '../../guards/audit.js';

/** Calls, refusals and durations of the current interval. */
interface IntervalNumbers {
  note(record: AuditRecord): void;
  /** The numbers since the last time, and starts the next interval. */
  take(): JsonObject;
}

/** Durations kept per interval; beyond that a sample of them (reservoir), so that memory stays bounded. */
const maxDurations = 2_000;

export function intervalNumbers(random: () => number = Math.random): IntervalNumbers {
  let calls = 0;
  let failed = 0;
  let refused: Record<string, number> = {};
  let durations: number[] = [];
  return {
    note({ decision, code, durationMs = 0 }) {
      calls += 1;
      if (decision === 'failed') failed += 1;
      if (decision === 'refused') refused[code ?? 'unknown'] = (refused[code ?? 'unknown'] ?? 0) + 1;
      if (durations.length < maxDurations) durations.push(durationMs);
      else {
        const at = Math.floor(random() * calls);
        if (at < maxDurations) durations[at] = durationMs;
      }
    },
    take() {
      const sorted = durations.sort((a, b) => a - b);
      const quantile = (part: number): number | null =>
        sorted.length === 0 ? null : (sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? null);
      const taken = { calls, failed, refused, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) };
      calls = failed = 0;
      refused = {};
      durations = [];
      return taken;
    },
  };
}
