import type { Gateway } from '../core/gateway.js';
import type { Principal } from '../core/principal.js';
import type { AuditLog } from '../observe/audit-log.js';
import type { EventBus } from '../observe/events.js';
import type { Health, HealthCheck } from '../observe/health.js';
import { health } from '../observe/health.js';
import type { Log } from '../observe/log.js';
import { machineResources, resourceChecks } from '../observe/resource-checks.js';
import type { Registry } from '../registry/registry.js';

const watcher: Principal = { id: 'health', name: 'health', kind: 'local', roles: ['admin'] };

/** Health checks of a gateway: audit, sources, tools and machine resources. */
export function gateHealth(options: {
  readonly gateway: Gateway;
  readonly registry: Registry;
  readonly journal: AuditLog;
  readonly folder: string;
  readonly log: Log;
  readonly events: EventBus;
  readonly more?: readonly HealthCheck[];
}): Health {
  const { gateway, registry, journal, folder, log, events, more = [] } = options;
  return health({
    tools: () => gateway.statuses({ principal: watcher }),
    checks: [
      {
        name: 'audit',
        priority: 'critical',
        check: () => {
          const problem = journal.problem();
          return problem === undefined ? { status: 'healthy' } : { status: 'unhealthy', detail: problem };
        },
      },
      { name: 'sources', priority: 'important', check: () => sources(registry) },
      ...more,
      ...resourceChecks(machineResources(folder)),
    ],
    onChange(from, to) {
      log.event('health.changed', { old: from, new: to });
      events.publish('health', { status: to });
    },
  });
}

function sources(registry: Registry): { readonly status: 'healthy' | 'unhealthy'; readonly detail?: string } {
  const all = Object.entries(registry.health());
  const down = all.filter(([, { status }]) => status === 'unhealthy');
  if (down.length > 0)
    return { status: 'unhealthy', detail: down.map(([id, { detail }]) => `${id}: ${detail ?? 'down'}`).join('; ') };
  const open = all.filter(([, { sandbox }]) => sandbox === 'unsandboxed').map(([id]) => id);
  return { status: 'healthy', ...(open.length > 0 && { detail: `unsandboxed: ${open.join(', ')}` }) };
}
