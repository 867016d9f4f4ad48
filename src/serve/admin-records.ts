import type { Principal } from '../core/principal.js';
import { uuid7 } from '../lib/hash.js';
import type { AuditLog } from '../observe/audit-log.js';
import type { Log } from '../observe/log.js';
import { evidenceOf, type Screening } from './screening/evidence.js';

/** Writes down how somebody answered a ticket. */
export function recordAnswer(
  journal: AuditLog,
  log: Log,
  { id, tool, status }: { readonly id: string; readonly tool: string; readonly status: string },
  by: Principal,
): void {
  const call = uuid7();
  journal
    .append({
      event: 'admin',
      at: new Date().toISOString(),
      call,
      correlationId: call,
      principal: by.id,
      via: 'rest',
      tool,
      definition: '',
      argsDigest: '',
      decision: 'allowed',
      detail: { action: status === 'approved' ? 'approve' : 'deny', ticket: id },
    })
    .catch(() => log.event('audit.lost', { action: status, target: id }));
}

/** Writes down what an administrator did. */
export function recordAdmin(journal: AuditLog, log: Log, action: string, target: string, by: Principal): void {
  const id = uuid7();
  log.event(
    action === 'breaker_reset' ? 'circuit_breaker.reset' : action === 'enable' ? 'tool.enabled' : 'tool.disabled',
    { tool: target, by: by.id },
  );
  journal
    .append({
      event: 'admin',
      at: new Date().toISOString(),
      call: id,
      correlationId: id,
      principal: by.id,
      via: 'rest',
      tool: target,
      definition: '',
      argsDigest: '',
      decision: 'allowed',
      detail: { action },
    })
    .catch(() => log.event('audit.lost', { action, target }));
}

/** Writes down what was decided about a local server before its start, and by what. */
export function recordAdmission(journal: AuditLog, log: Log, screening: Screening): void {
  const id = uuid7();
  const { source, decision } = screening;
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
      detail: { action: 'admission', verdict: decision, ...evidenceOf(screening) },
    }),
  ).catch(() => log.event('audit.lost', { action: 'admission', target: source }));
}
