import { statfs } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, totalmem } from 'node:os';
import type { HealthCheck, Verdict } from './health.js';

/** How full the machine is, in parts of one; a test puts its own here. */
export interface Resources {
  cpu(): number;
  memory(): number;
  disk(): Promise<number>;
}

const BUSY = 0.8;

/**
 * Checks of processor, memory and disk. They inform and no more: a gateway that counts as down because it is busy is
 * restarted when it is needed most.
 */
export function resourceChecks(resources: Resources): readonly HealthCheck[] {
  const check = (name: string, used: () => number | Promise<number>): HealthCheck => ({
    name,
    priority: 'informational',
    check: async () => verdict(await used()),
  });
  return [check('cpu', resources.cpu), check('memory', resources.memory), check('disk', resources.disk)];
}

/** The resources of this machine, with the disk that holds the given folder. */
export const machine = (folder: string): Resources => ({
  cpu: () => (loadavg()[0] ?? 0) / availableParallelism(),
  memory: () => 1 - freemem() / totalmem(),
  async disk() {
    const { blocks, bavail } = await statfs(folder);
    return blocks === 0 ? 0 : 1 - bavail / blocks;
  },
});

function verdict(used: number): Verdict {
  const detail = `${Math.round(used * 100)} % used`;
  return { status: used > BUSY ? 'degraded' : 'healthy', detail };
}
