import type { Health } from '../health.js';
import type { Family } from './metric-families.js';

const statusValues: Readonly<Record<string, number>> = { healthy: 0, degraded: 1, unhealthy: 2 };

/** Health of the registered sources, by id. */
interface SourceStates {
  health(): Readonly<Record<string, { readonly status: string }>>;
}

/**
 * Health checks and sources as metrics, so that one alert rule covers audit, configuration, state and engines. Tools are left out:
 * they have their own series.
 */
export const healthFamilies = (health: Pick<Health, 'report'>, sources: SourceStates): readonly Family[] => [
  {
    name: 'mcp_health_check_state',
    help: 'Result of each health check of the gateway: 0 healthy, 1 degraded, 2 unhealthy',
    type: 'gauge',
    samples: () =>
      Object.entries(health.report().checks)
        .filter(([check]) => !check.startsWith('tool_'))
        .map(([check, { status, priority }]) => ({ labels: { check, priority }, value: statusValues[status] ?? 2 })),
  },
  {
    name: 'mcp_source_up',
    help: 'Whether a source answers, by source: 1 yes, 0 no',
    type: 'gauge',
    samples: () =>
      Object.entries(sources.health()).map(([source, { status }]) => ({
        labels: { source },
        value: status === 'unhealthy' ? 0 : 1,
      })),
  },
];
