import type { Principal } from '../core/principal.js';
import { uuid7 } from '../lib/hash.js';
import type { AuditLog } from './audit-log.js';
import type { Log } from './log.js';

/** Records the decision about an approval ticket. */
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

/** Records the action of an administrator. */
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
