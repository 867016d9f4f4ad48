import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import type { HealthCheck, CheckResult } from './health.js';

/** Resource usage of the machine, from 0 to 1; replaced in tests. */
export interface Resources {
  cpu(): number;
  memory(): number;
  disk(): Promise<number>;
}

const BUSY_ABOVE = 0.8;

/**
 * Checks of CPU, memory and disk; informational only, so that an orchestrator does not restart a gateway because it is
 * busy.
 */
export function resourceChecks(resources: Resources): readonly HealthCheck[] {
  const check = (name: string, used: () => number | Promise<number>): HealthCheck => ({
    name,
    priority: 'informational',
    check: async () => toCheckResult(await used()),
  });
  return [check('cpu', resources.cpu), check('memory', resources.memory), check('disk', resources.disk)];
}

/** Resource usage of this machine; the disk is the one of the given folder. */
export const machineResources = (folder: string): Resources => ({
  cpu: () => (loadavg()[0] ?? 0) / availableParallelism(),
  memory: () => 1 - freemem() / totalmem(),
  async disk() {
    const { blocks, bavail } = await statfs(folder);
    return blocks === 0 ? 0 : 1 - bavail / blocks;
  },
});

function toCheckResult(used: number): CheckResult {
  const detail = `${Math.round(used * 100)} % used`;
  return { status: used > BUSY_ABOVE ? 'degraded' : 'healthy', detail };
}
