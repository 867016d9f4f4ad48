import { settingsChecks } from '../serve/doctor.js';
import type { Io } from './io.js';
import { localGate } from './local-gate.js';

export const help = `Usage: toolgate doctor [--json] [--config file]

Says what this machine offers (sandbox tiers, programs) and goes through the deployment check list.
Exit code 0 when nothing failed, 1 otherwise.
`;

/** Examines the machine and the configuration. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const opened = await localGate(argv, io);
  if (!opened.ok) return 1;
  const { gate, user, rest } = opened;
  try {
    const tiers = await gate.processes.tiers();
    const statuses = gate.gateway.statuses({ principal: user });
    const checks = settingsChecks(gate.config(), tiers, statuses);
    if (rest.includes('--json')) {
      io.out(
        `${JSON.stringify({ checks, tiers: { bwrap: tiers.bwrap, bwrap_no_network: tiers.bwrapNoNetwork, prlimit: tiers.prlimit } }, null, 2)}\n`,
      );
    } else {
      const mark = { pass: 'pass', warn: 'warn', fail: 'FAIL' } as const;
      for (const { name, result, detail } of checks) io.out(`${mark[result].padEnd(5)} ${name.padEnd(28)} ${detail}\n`);
    }
    return checks.some(({ result }) => result === 'fail') ? 1 : 0;
  } finally {
    await gate.close(1_000);
  }
}
