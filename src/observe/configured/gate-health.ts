import type { Gateway } from '../../core/gateway.js';
import type { Principal } from '../../core/principal.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { EventBus } from '../events.js';
import type { Health, HealthCheck } from '../health.js';
import { health, liveCheck } from '../health.js';
import type { Log } from '../log/log.js';
import { healthFamilies } from '../metrics/health-metrics.js';
import type { Metrics } from '../metrics/metrics.js';
import { machineResources, resourceChecks } from '../resource-checks.js';
import type { Registry } from '../../registry/registry.js';

// A principal that sees every tool; it exists only for this check and holds no credential.
const watcher: Principal = { id: 'health', name: 'health', kind: 'local', roles: ['admin'] };

/** Health checks of a gateway: audit, sources, tools and machine resources. */
export function gateHealth(options: {
  readonly gateway: Gateway;
  readonly registry: Registry;
  readonly journal: AuditLog;
  readonly folder: string;
  readonly log: Log;
  readonly events: EventBus;
  readonly metrics: Metrics;
  readonly more?: readonly HealthCheck[];
}): Health {
  const { gateway, registry, journal, folder, log, events, metrics, more = [] } = options;
  const checks = health({
    tools: () => gateway.statuses({ principal: watcher }),
    checks: [
      // Critical: with `audit.on_failure: refuse` a gateway that cannot record refuses every call.
      liveCheck('audit', 'critical', () => journal.problem()),
      { name: 'sources', priority: 'important', check: () => sources(registry) },
      ...more,
      ...resourceChecks(machineResources(folder)),
    ],
    onChecked: ({ status }) => log.event('health.check', { status }),
    onChange(from, to) {
      log.event('health.changed', { old: from, new: to });
      events.publish('health', { status: to });
    },
  });
  for (const family of healthFamilies(checks, registry)) metrics.family(family);
  return checks;
}

function sources(registry: Registry): { readonly status: 'healthy' | 'unhealthy'; readonly detail?: string } {
  const all = Object.entries(registry.health());
  const down = all.filter(([, { status }]) => status === 'unhealthy');
  // A source that is down makes the check fail, but not the gateway: the others still serve.
  if (down.length > 0)
    return { status: 'unhealthy', detail: down.map(([id, { detail }]) => `${id}: ${detail ?? 'down'}`).join('; ') };
  // Named although healthy: a server without a sandbox is a risk that an operator should see.
  const open = all.filter(([, { sandbox }]) => sandbox === 'unsandboxed').map(([id]) => id);
  return { status: 'healthy', ...(open.length > 0 && { detail: `unsandboxed: ${open.join(', ')}` }) };
}
