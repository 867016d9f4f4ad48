import { uuid7 } from '../lib/hash.js';
import type { AuditLog } from '../observe/audit/audit-log.js';
import type { Log } from '../observe/log/log.js';
import { evidenceOf, type AdmissionRecord } from './evidence.js';

/** Records the admission decision about a local server in the audit, with its evidence. */
export function recordAdmission(journal: AuditLog, log: Log, record: AdmissionRecord): void {
  const id = uuid7();
  const { source, decision } = record;
  void Promise.resolve(
    journal.append({
      event: 'admin',
      at: new Date().toISOString(),
      call: id,
      correlationId: id,
      principal: 'gateway',
      via: 'serve',
      tool: source,
      definition: '',
      argsDigest: '',
      decision: decision === 'allow' ? 'allowed' : 'refused',
      detail: { action: 'admission', verdict: decision, ...evidenceOf(record) },
    }),
  ).catch(() => log.event('audit.lost', { action: 'admission', target: source }));
}
