import { flagsLayer } from '../../../config/layers.js';
import { failure, parseCommandLine, unexpectedArgument } from '../../command-line.js';
import { describeGate, runningGates } from '../../gate-client.js';
import type { Io } from '../../io.js';

export const help = `Usage: toolgate stop [--all] [--json] [--config file] [--home folder]

Stops the running gate of this configuration: new calls are refused, running ones get server.shutdown_grace_period seconds. An
assistant that is still attached starts a new gate with its next message.

  --all      all gates of this home
`;

/** Stops running gates in order. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const options = { all: { type: 'boolean' } } as const;
  const parsed = parseCommandLine('stop', flagsLayer(argv).rest, options, io);
  if (parsed === undefined) return 2;
  const extra = unexpectedArgument('stop', parsed.positionals, io);
  if (extra !== undefined) return extra;
  const gates = await runningGates(argv, io, parsed.values.all === true);
  // In order: each ends its running calls within its grace period.
  for (const gate of gates) await gate.request('POST', '/gate/stop');
  if (gates.length === 0) return failure('stop', 'no gate runs with this configuration', io);
  if (parsed.values.json === true)
    io.out(`${JSON.stringify({ stopped: gates.map(({ record }) => record.pid) }, null, 2)}\n`);
  else for (const { record } of gates) io.out(`stopping ${describeGate(record)}\n`);
  return 0;
}
