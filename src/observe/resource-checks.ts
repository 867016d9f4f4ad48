import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import type { HealthCheck, CheckResult } from './health.js';

/** Resource usage of the machine, from 0 to 1; replaced in tests. */
interface Resources {
  cpu(): number;
  memory(): number;
  disk(): Promise<number>;
}

/** A disk or memory that is nearly used up breaks the gateway soon; a busy CPU does not. */
const FULL_ABOVE = 0.95;

/**
 * Checks of CPU, memory and disk; informational only, so that an orchestrator does not restart a gateway because it is
 * busy.
 */
export function resourceChecks(resources: Resources): readonly HealthCheck[] {
  const check = (name: string, used: () => number | Promise<number>, degradedAbove: number): HealthCheck => ({
    name,
    priority: 'informational',
    check: async () => toCheckResult(await used(), degradedAbove),
  });
  return [
    check('cpu', resources.cpu, Number.POSITIVE_INFINITY),
    check('memory', resources.memory, FULL_ABOVE),
    check('disk', resources.disk, FULL_ABOVE),
  ];
}

/** Resource usage of this machine; the disk is the one of the given folder. */
export const machineResources = (folder: string): Resources => ({
  // The load also counts waiting processes, so it is no share by itself: more of them than cores means all cores are in use.
  cpu: () => Math.min(1, (loadavg()[0] ?? 0) / availableParallelism()),
  memory: () => 1 - freemem() / totalmem(),
  async disk() {
    const { blocks, bavail } = await statfs(folder);
    return blocks === 0 ? 0 : 1 - bavail / blocks;
  },
});

function toCheckResult(used: number, degradedAbove: number): CheckResult {
  const detail = `${Math.round(used * 100)} % used`;
  return { status: used > degradedAbove ? 'degraded' : 'healthy', detail };
}
