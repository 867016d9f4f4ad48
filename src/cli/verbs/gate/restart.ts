import { flagsLayer } from '../../../config/layers.js';
import { failure, parseCommandLine, usageError } from '../../command-line.js';
import { runningGate } from '../../gate-client.js';
import type { Io } from '../../io.js';
import { renewSource } from '../../sources/test.js';

export const help = `Usage: toolgate restart <source> [--json] [--config file] [--home folder]

Ends the processes and connections of a source at the running gate of this configuration, starts it again and lists its tools, with
a line per phase. Calls in flight fail; back-off after earlier failures is reset.
`;

/** Restarts a source at the running gate. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('restart', flagsLayer(argv).rest, {}, io);
  if (parsed === undefined) return 2;
  const [id, ...more] = parsed.positionals;
  if (id === undefined || more.length > 0) return usageError('restart', 'needs one source', io);
  const gate = await runningGate(argv, io);
  return gate === undefined
    ? failure('restart', 'no gate runs with this configuration, so the source is not running', io)
    : renewSource('restart', id, gate, io);
}
