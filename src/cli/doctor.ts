import { programChecks, sandboxChecks } from './check/machine-checks.js';
import { settingsChecks } from './check/settings-checks.js';
import { parseCommandLine, usageError } from './command-line.js';
import type { Io } from './io.js';
import { localGate } from './local-gate.js';

export const help = `Usage: toolgate doctor [--json] [--config file]

Checks this machine (sandbox tiers, programs) and goes through the deployment checklist.

Exit codes: 0 no check failed, 1 a check failed, 2 wrong use.
`;

/** Runs the deployment checklist. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  const { gate, user, rest } = local;
  try {
    const parsed = parseCommandLine('doctor', rest, { json: { type: 'boolean' } }, io);
    if (parsed === undefined) return 2;
    if (parsed.positionals.length > 0)
      return usageError('doctor', `unexpected argument ${JSON.stringify(parsed.positionals[0])}`, io);
    const tiers = await gate.processes.tiers();
    const statuses = gate.gateway.statuses({ principal: user });
    const checks = [
      ...settingsChecks(gate.config(), tiers, statuses),
      ...sandboxChecks(gate.registry.health()),
      ...(await programChecks(io.env)),
    ];
    if (parsed.values.json === true) {
      io.out(
        `${JSON.stringify({ checks, tiers: { bwrap: tiers.bwrap, bwrap_no_network: tiers.bwrapNoNetwork, bwrap_guarded: tiers.guarded, prlimit: tiers.prlimit } }, null, 2)}\n`,
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
