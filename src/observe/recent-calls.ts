import type { AuditRecord } from '../guards/audit.js';
import type { AuditLog } from './audit/audit-log.js';

/** The newest calls in memory, as the audit records them; older ones are in the journal. */
export interface RecentCalls {
  /** Newest first; with a filter, only the calls it accepts. */
  list(accepts: (record: AuditRecord) => boolean, limit: number): readonly AuditRecord[];
  find(call: string): AuditRecord | undefined;
  /** Calls by rule that decided them, since the start. */
  hits(): ReadonlyMap<string, number>;
  /** The journal with these calls remembered. */
  readonly journal: AuditLog;
}

/** Calls in memory; the console shows the latest of them. */
const maxCalls = 1_000;
/** Rules that are counted: ids come from the configuration, but reloads may add ever more. */
const maxRules = 10_000;

/** Remembers what is written to a journal; costs one reference per call, since the record exists anyway. */
export function recentCalls(journal: AuditLog, onCall: (record: AuditRecord) => void = () => {}): RecentCalls {
  const ring: AuditRecord[] = [];
  let next = 0;
  const hits = new Map<string, number>();
  const note = (record: AuditRecord): void => {
    // One record per call: its end, or its refusal.
    if (record.event !== 'end' && record.event !== 'refused') return;
    onCall(record);
    // A ring buffer: no array is shifted on the hot path.
    ring[next] = record;
    next = (next + 1) % maxCalls;
    const rule = record.detail?.['rule'];
    if (typeof rule !== 'string') return;
    const known = hits.get(rule);
    if (known !== undefined || hits.size < maxRules) hits.set(rule, (known ?? 0) + 1);
  };
  const newestFirst = function* (): Generator<AuditRecord> {
    for (let step = 1; step <= ring.length; step += 1) {
      const record = ring[(next - step + maxCalls) % maxCalls];
      if (record) yield record;
    }
  };
  return {
    list(accepts, limit) {
      const found: AuditRecord[] = [];
      for (const record of newestFirst()) {
        if (found.length >= limit) break;
        if (accepts(record)) found.push(record);
      }
      return found;
    },
    find(call) {
      for (const record of newestFirst()) if (record.call === call) return record;
      return undefined;
    },
    hits: () => hits,
    journal: {
      ...journal,
      append(record) {
        // Before the journal, so that a call is visible even while the disk is slow.
        note(record);
        return journal.append(record);
      },
    },
  };
}
