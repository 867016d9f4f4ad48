import type { HealthReport } from '../core/gateway.js';
import type { Principal } from '../core/principal.js';
import type { Gate } from './gate.js';

const watcher: Principal = { id: 'health', name: 'health', kind: 'local', roles: [] };

/** How the tools and sources of a gate stand. */
export function health(gate: Gate): { report(): Promise<HealthReport> } {
  return {
    report() {
      const checks: Record<string, { status: string; priority: string; detail?: string }> = {};
      for (const { tool, breaker } of gate.gateway.statuses({ principal: watcher })) {
        checks[`tool_${tool.name}`] = tool.unavailable
          ? { status: 'unhealthy', priority: 'informational', detail: tool.unavailable.message }
          : { status: breaker.state === 'open' ? 'degraded' : 'healthy', priority: 'informational' };
      }
      const states = Object.values(checks).map((check) => check.status);
      const status = states.includes('degraded') || (states.length > 0 && states.every((state) => state === 'unhealthy')) ? 'degraded' : 'healthy';
      return Promise.resolve({ status, checks, summary: { tools: states.length } });
    },
  };
}
