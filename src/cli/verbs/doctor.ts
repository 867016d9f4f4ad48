import { flagsLayer } from '../../config/layers.js';
import { doctorChecks } from '../../doctor/checks.js';
import { parseCommandLine, unexpectedArgument } from '../command-line.js';
import type { Io } from '../io.js';
import { localGate } from '../local-gate.js';

export const help = `Usage: toolgate doctor [--json] [--config file]

Checks this machine (sandbox tiers, programs) and goes through the deployment checklist.
`;

/** Runs the deployment checklist. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('doctor', flagsLayer(argv).rest, {}, io);
  if (parsed === undefined) return 2;
  const extra = unexpectedArgument('doctor', parsed.positionals, io);
  if (extra !== undefined) return extra;
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gate, user } = local;
  try {
    const tiers = await gate.processes.tiers();
    const statuses = gate.gateway.statuses({ principal: user });
    const checks = await doctorChecks(gate, statuses, io.env);
    if (parsed.values.json === true) {
      io.out(
        `${JSON.stringify({ checks, tiers: { bwrap: tiers.bwrap, bwrap_no_network: tiers.bwrapNoNetwork, bwrap_guarded: tiers.guarded, prlimit: tiers.prlimit } }, null, 2)}\n`,
      );
    } else {
      const mark = { pass: 'pass', warn: 'warn', fail: 'FAIL' } as const;
      for (const { name, result, detail, fix } of checks)
        io.out(
          `${mark[result].padEnd(5)} ${name.padEnd(28)} ${detail}${fix === undefined ? '' : `\n${' '.repeat(35)}fix: ${fix}`}\n`,
        );
    }
    return checks.some(({ result }) => result === 'fail') ? 1 : 0;
  } finally {
    await gate.close(1_000);
  }
}
