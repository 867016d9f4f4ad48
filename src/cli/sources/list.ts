import { didYouMean, failure } from '../command-line.js';
import { runningGate } from '../gate-client.js';
import type { Io } from '../io.js';
import { localGate } from '../local-gate.js';
import { localSources, printSources, remoteSources, rowJson, type SourceReader, type SourceRow } from './rows.js';

/** Lists the sources of the running gate, or of one that is started here. */
export async function listSources(argv: readonly string[], io: Io): Promise<number> {
  const running = await runningGate(argv, io);
  if (running !== undefined) return print(await allRows(remoteSources(running)), io);
  const local = await localGate(argv, io);
  if (!local.ok) return 1;
  try {
    return print(await allRows(localSources(local.gate, local.home)), io);
  } finally {
    await local.gate.close(1_000);
  }
}

/** Reports a source that does not exist, with the nearest one. */
export async function unknownSource(id: string, sources: SourceReader, io: Io, verb = 'sources'): Promise<number> {
  const ids = await sources.ids();
  return failure(
    verb,
    `unknown source ${JSON.stringify(id)}${didYouMean(id, ids)}; toolgate sources list shows all`,
    io,
  );
}

/** All sources with their state, read in parallel. */
async function allRows(sources: SourceReader): Promise<readonly SourceRow[]> {
  const found = await Promise.all((await sources.ids()).map((id) => sources.find(id)));
  // Sources of the gateway itself, such as cut results, are not configured.
  return found.filter((row): row is SourceRow => row !== undefined && !row.id.startsWith('toolgate:'));
}

/** Prints sources; an empty list names the command that adds one. */
function print(rows: readonly SourceRow[], io: Io): number {
  if (io.json === true) io.out(`${JSON.stringify({ sources: rows.map(rowJson) }, null, 2)}\n`);
  else if (rows.length === 0) io.out('no sources; toolgate add <name> adds one\n');
  else printSources(rows, false, io);
  return 0;
}
