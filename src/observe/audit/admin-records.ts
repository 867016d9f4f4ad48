import type { Door } from '../../core/call.js';
import type { Principal } from '../../core/principal.js';
import { uuid7 } from '../../lib/hash.js';
import type { AuditLog } from './audit-log.js';
import type { Log, LogEvent } from '../log/log.js';

/** A decided ticket. */
interface TicketAnswer {
  readonly id: string;
  readonly tool: string;
  readonly status: string;
  /** Why it was denied. */
  readonly reason?: string;
}

/** Actions of administrators, and the log event of each. */
const adminEvents = {
  enable: 'tool.enabled',
  disable: 'tool.disabled',
  breaker_reset: 'circuit_breaker.reset',
  console_login: 'console.opened',
  console_logout: 'console.closed',
  token_create: 'key.created',
  token_revoke: 'key.revoked',
  pins_approve: 'source.changed',
  pins_reject: 'source.changed',
  source_refresh: 'source.changed',
  source_restart: 'source.restarted',
  gate_stop: 'gate.controlled',
  gate_retire: 'gate.controlled',
  gate_listen: 'gate.controlled',
} as const satisfies Record<string, LogEvent>;
/** An action that can be recorded. */
export type AdminAction = keyof typeof adminEvents;

/** Records the decision about an approval ticket. */
export function recordAnswer(
  journal: AuditLog,
  log: Log,
  { id, tool, status, reason }: TicketAnswer,
  by: Principal,
  via: Door,
): void {
  const call = uuid7();
  journal
    .append({
      event: 'admin',
      at: new Date().toISOString(),
      call,
      correlationId: call,
      principal: by.id,
      via,
      tool,
      definition: '',
      argsDigest: '',
      decision: 'allowed',
      detail: {
        action: status === 'approved' ? 'approve' : 'deny',
        ticket: id,
        ...(reason !== undefined && { reason }),
      },
    })
    // The decision stands; that its record is missing must be visible in the log.
    .catch(() => log.event('audit.lost', { action: status, target: id }));
}

/** Records the action of an administrator. */
export function recordAdmin(
  journal: AuditLog,
  log: Log,
  action: AdminAction,
  target: string,
  by: Principal,
  via: Door = 'rest',
): void {
  const id = uuid7();
  // Logged first: the log is the fallback if the journal fails.
  log.event(adminEvents[action], { tool: target, by: by.id });
  journal
    .append({
      event: 'admin',
      at: new Date().toISOString(),
      call: id,
      correlationId: id,
      principal: by.id,
      via,
      tool: target,
      definition: '',
      argsDigest: '',
      decision: 'allowed',
      detail: { action },
    })
    .catch(() => log.event('audit.lost', { action, target }));
}
