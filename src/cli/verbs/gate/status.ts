import { flagsLayer } from '../../../config/layers.js';
import { parseCommandLine, unexpectedArgument } from '../../command-line.js';
import { describeGate, runningGates } from '../../gate-client.js';
import type { Io } from '../../io.js';

export const help = `Usage: toolgate status [--json] [--config file] [--home folder]

Shows the running gates of this home: process, version, configuration, clients, running calls, and where they listen and log.
`;

/** Shows the running gates of a home. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('status', flagsLayer(argv).rest, {}, io);
  if (parsed === undefined) return 2;
  const extra = unexpectedArgument('status', parsed.positionals, io);
  if (extra !== undefined) return extra;
  // Gates of other configurations are listed, too: they share the home.
  const gates = await runningGates(argv, io, true);
  const states = await Promise.all(gates.map(async (gate) => (await gate.request('GET', '/gate')).body ?? {}));
  if (parsed.values.json === true) io.out(`${JSON.stringify({ gates: states }, null, 2)}\n`);
  else if (gates.length === 0) io.out('no gate runs; toolgate serve starts one\n');
  else
    for (const [index, { record }] of gates.entries()) {
      const { clients, active_calls: active, uptime_seconds: uptime, retired } = states[index] ?? {};
      io.out(`${describeGate(record)}${retired === true ? ', ends with its last client' : ''}\n`);
      io.out(`  clients ${String(clients)}, running calls ${String(active)}, up ${String(uptime)} s\n`);
      io.out(`  log     ${record.log ?? 'on stderr of its process'}\n`);
    }
  return gates.length === 0 ? 1 : 0;
}
