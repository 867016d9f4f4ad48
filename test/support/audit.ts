import type { AuditRecord } from '../../src/guards/audit.js';
import type { AuditLog, AuditLogOptions } from '../../src/observe/audit/audit-log.js';
import { auditLog } from '../../src/observe/audit/audit-log.js';

/** A record of a call that went well. */
export const aRecord = (over: Partial<AuditRecord> = {}): AuditRecord => ({
  event: 'end',
  at: '2026-11-15T20:00:00.000Z',
  call: 'c1',
  correlationId: 'k1',
  principal: 'local',
  via: 'rest',
  tool: 'ping',
  definition: 'd'.repeat(64),
  argsDigest: 'a'.repeat(64),
  decision: 'allowed',
  durationMs: 12,
  ...over,
});

/** An open journal, or the test fails with the reason. */
export function aJournal(options: AuditLogOptions): AuditLog {
  const opened = auditLog(options);
  if (!opened.ok) throw new Error(opened.problem);
  return opened.log;
}

/** Writes so many records, each with its number as the call id. */
export async function aJournalOf(
  folder: string,
  records: number,
  options: Partial<AuditLogOptions> = {},
): Promise<void> {
  const journal = aJournal({ folder, ...options });
  for (let at = 1; at <= records; at++) await journal.append(aRecord({ call: `c${at}` }));
  journal.close();
}
