import type { Config } from '../../config/schema.js';
import { failure } from '../command-line.js';
import { runningGate, type GateClient } from '../gate-client.js';
import type { Io } from '../io.js';
import { localGate } from '../local-gate.js';
import { progressLines } from '../progress-lines.js';
import { withoutBudgets } from '../servers/try-source.js';
import { unknownSource } from './list.js';
import { localSources, printSources, remoteSources, rowJson, type SourceReader, type SourceRow } from './rows.js';

/** Whole way of one source, from installation to its tools, with a progress line per phase and no overall budget. */
export async function testSource(id: string, argv: readonly string[], io: Io): Promise<number> {
  // A running gate owns the processes of the source; a second one beside it could disturb the server's state.
  const running = await runningGate(argv, io);
  if (running !== undefined) return renewSource('refresh', id, running, io);
  const progress = progressLines(io);
  const local = await localGate(argv, io, {
    // The other sources are not started; rules about their tools would be errors, and decide nothing here.
    configure: (config) => withoutBudgets(onlySource(config, id)),
    onEvent(event, fields) {
      if (event === 'source.phase' && fields?.['source'] === id)
        progress.begin(String(fields['phase']), String(fields['what'] ?? ''));
    },
  });
  if (!local.ok) return 1;
  try {
    const sources = localSources(local.gate, local.home);
    const row = await sources.find(id);
    progress.end(row === undefined || row.status === 'unhealthy' ? 'failed' : '');
    return row === undefined ? await unknownSource(id, sources, io) : report(row, io);
  } finally {
    // A short grace: the servers were started for this list only.
    await local.gate.close(1_000);
  }
}

const onlySource = (config: Config, id: string): Config =>
  Object.hasOwn(config.sources, id)
    ? {
        ...config,
        sources: Object.fromEntries(Object.entries(config.sources).filter(([each]) => each === id)),
        policy: { ...config.policy, rules: [] },
        flows: { ...config.flows, rules: [] },
      }
    : config;

/** Lists a source again at the running gate, after a restart if asked for, and follows its phases to the end. */
export async function renewSource(
  action: 'refresh' | 'restart',
  id: string,
  gate: GateClient,
  io: Io,
): Promise<number> {
  const verb = action === 'restart' ? 'restart' : 'sources';
  const sources = remoteSources(gate);
  // Checked first, so that a misspelt id gets a suggestion instead of an HTTP status.
  if ((await sources.find(id)) === undefined) return unknownSource(id, sources, io, verb);
  const progress = progressLines(io);
  let isDone = false;
  // Not awaited yet: the phases are polled while the request runs.
  const request = gate.request('POST', `/sources/${encodeURIComponent(id)}/${action}`).finally(() => (isDone = true));
  const row = await followPhases(
    id,
    sources,
    (phase) => progress.begin(phase),
    () => isDone,
    io.signal,
  );
  const { status, body } = await request;
  if (status !== 200) return failure(verb, String(body?.['error'] ?? `the gate returned HTTP status ${status}`), io);
  const last = row ?? (await sources.find(id));
  progress.end(last === undefined || last.status === 'unhealthy' ? 'failed' : '');
  return last === undefined ? unknownSource(id, sources, io, verb) : report(last, io);
}

/** Interval of polling the phase of a source. */
const lookEveryMs = 300;

/** Looks at a source until it has a list or has failed; undefined if interrupted or removed meanwhile. */
async function followPhases(
  id: string,
  sources: SourceReader,
  onPhase: (phase: string) => void,
  isDone: () => boolean,
  signal: AbortSignal,
): Promise<SourceRow | undefined> {
  let shown: string | undefined;
  while (!signal.aborted) {
    // Read before the row: a request that ends between the two must not be mistaken for a finished listing (race).
    const wasDone = isDone();
    const row = await sources.find(id);
    if (row === undefined || (row.phase === null && wasDone)) return row;
    if (row.phase !== null && row.phase !== shown) onPhase((shown = row.phase));
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  return undefined;
}

/** Prints a source; exit code 1 if it is unhealthy, so that scripts can test it. */
function report(row: SourceRow, io: Io): number {
  if (io.json === true) io.out(`${JSON.stringify({ sources: [rowJson(row)] }, null, 2)}\n`);
  else printSources([row], true, io);
  return row.status === 'unhealthy' ? 1 : 0;
}
