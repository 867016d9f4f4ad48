import { flagsLayer } from '../../../config/layers.js';
import type { SourceLine } from '../../../observe/source-log.js';
import { failure, parseCommandLine, usageError } from '../../command-line.js';
import { runningGate } from '../../gate-client.js';
import type { Io } from '../../io.js';
import { remoteSources } from '../../sources/rows.js';
import { unknownSource } from '../../sources/list.js';
import { fitLine } from '../../terminal.js';

export const help = `Usage: toolgate logs <source> [--follow] [--json] [--config file] [--home folder]

Shows the latest lines that a source wrote to stderr at the running gate, and what happened to it: phases, connections, failures.
The gate keeps 500 lines of each source in memory; secrets are redacted.

  --follow   keep printing new lines until interrupted
`;

/** Interval at which new lines are requested. */
const lookMs = 500;

/** Shows the log of a source. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseCommandLine('logs', flagsLayer(argv).rest, { follow: { type: 'boolean', short: 'f' } }, io);
  if (parsed === undefined) return 2;
  const [id, ...more] = parsed.positionals;
  if (id === undefined || more.length > 0) return usageError('logs', 'needs one source', io);
  const gate = await runningGate(argv, io);
  if (gate === undefined) return failure('logs', 'no gate runs with this configuration; it keeps the logs', io);
  let last = 0;
  do {
    // The number of the last line, so that none is printed twice.
    const { status, body } = await gate.request('GET', `/sources/${encodeURIComponent(id)}/log?after=${last}`);
    if (status !== 200) return unknownSource(id, remoteSources(gate), io, 'logs');
    const { lines = [] } = body as { lines?: readonly SourceLine[] }; // GET /sources/{id}/log
    for (const line of lines) {
      last = line.seq;
      io.out(
        parsed.values.json === true
          ? `${JSON.stringify(line)}\n`
          : `${fitLine(`${line.at}  ${line.what.padEnd(19)} ${line.text}`, io)}\n`,
      );
    }
    if (parsed.values.follow === true && !io.signal.aborted)
      await new Promise((resolve) => setTimeout(resolve, lookMs));
  } while (parsed.values.follow === true && !io.signal.aborted);
  return 0;
}
