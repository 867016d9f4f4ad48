import type { SharedState } from '../state/shared.js';
import type { HealthCheck } from './health.js';

/** A replica that lacks an engine for this long asks the balancer for no more work. */
const unreadyMs = 5_000;

/** Why this replica should get no more work: an engine that has not answered for a while. */
export function unreadyEngine(shared: SharedState | undefined): string | undefined {
  const down = shared?.down().find(({ forMs }) => forMs > unreadyMs);
  return down && `${down.name} does not answer`;
}

/** Health check of the engines. */
export const enginesCheck = (shared: SharedState): HealthCheck => ({
  name: 'cluster',
  priority: 'critical',
  check() {
    const down = shared.down().map(({ name }) => name);
    return down.length === 0
      ? { status: 'healthy', detail: `${shared.bus.replicas().length} replicas` }
      : { status: 'unhealthy', detail: `${down.join(' and ')} not answering` };
  },
});
