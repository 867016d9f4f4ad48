import type { Socket } from 'node:net';
import { environmentLayer, flagsLayer } from '../../config/layers.js';
import { findConfigFile, loadConfig } from '../../config/load.js';
import type { Problem } from '../../config/problem.js';
import { problemLine } from '../../config/problem.js';
import { homeOf } from '../../serve/home.js';
import { environmentHash, identityOf, namedVariables, type GateIdentity } from '../../running/identity.js';
import { compareVersions, type GateRecord } from '../../running/records.js';
import { sourceKinds } from '../../sources/index.js';
import { version } from '../../version.js';
import { reportConfigProblems } from '../command-line.js';
import type { Io } from '../io.js';
import { attachTo, gatesFor, type Attached } from './find-gate.js';
import { requestGate } from './gate-request.js';
import { relay } from './relay.js';
import { startGate } from './start-gate.js';

/** The configuration cannot be used, so no gate can be started with it. */
class UnusableConfig extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(`the configuration cannot be used: ${problems.map(problemLine).join('; ')}`);
  }
}

/** Serves the assistant on stdin and stdout through the gate of its home and configuration; starts one if none runs. */
export async function attachAssistant(argv: readonly string[], io: Io): Promise<number> {
  const note = (text: string): void => io.err(`toolgate: ${text}\n`);
  let isFirst = true;
  const open = async (): Promise<Socket> => {
    const found = await findOrStartGate(argv, io, note);
    note(`${isFirst ? 'attached' : 'attached again'} to gate ${found.record.pid} (version ${found.version})`);
    isFirst = false;
    return found.socket;
  };
  const relaying = relay({ input: process.stdin, output: process.stdout, open, onNote: note });
  try {
    // The relay ends with its assistant, or when this process is interrupted.
    await Promise.race([relaying, aborted(io.signal)]);
  } catch (error) {
    if (error instanceof UnusableConfig) return reportConfigProblems(error.problems, io);
    note(error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    // stdin would keep the process alive.
    process.stdin.destroy();
  }
  return 0;
}

/** A connection to the gate of this home and configuration; starts it in the background if none runs. */
export async function findOrStartGate(
  argv: readonly string[],
  io: Io,
  note: (text: string) => void,
): Promise<Attached> {
  const cwd = process.cwd();
  const identity = identityOf((await findConfigFile(argv, io.env, cwd))?.path, { argv, env: io.env, cwd });
  return (await quickly(identity, argv, io)) ?? thoroughly(identity, argv, io, note);
}

/** Attaches without loading the configuration, which takes longer than everything else: the gate's record lists the variables it names. */
async function quickly(identity: GateIdentity, argv: readonly string[], io: Io): Promise<Attached | undefined> {
  // The last layer wins: flags override the environment.
  const folder = [...environmentLayer(io.env).values, ...flagsLayer(argv).values].findLast(
    ([path]) => path === 'state.directory',
  )?.[1];
  const home = homeOf(io.env, typeof folder === 'string' ? folder : undefined);
  for (const record of gatesFor(home.gates, identity, io.env)) {
    // A gate with another version of the file, or an older program, must first reload or be replaced.
    if (record.digest !== identity.digest || isOlder(record)) continue;
    const found = await attachTo(record, io.env);
    if ('socket' in found) return found;
  }
  return undefined;
}

/** Loads the configuration, looks again, and starts a gate if none can be attached to. */
async function thoroughly(
  identity: GateIdentity,
  argv: readonly string[],
  io: Io,
  note: (text: string) => void,
): Promise<Attached> {
  const cwd = process.cwd();
  // A configuration that does not load may still be served by a running gate, which keeps its last good one.
  const loaded = await loadConfig({ env: io.env, argv, cwd });
  const home = homeOf(io.env, loaded.ok ? loaded.config.state.directory : undefined);
  const names = loaded.ok ? namedVariables(loaded.config, sourceKinds) : undefined;
  const find = async (): Promise<Attached | undefined> => {
    for (const record of gatesFor(home.gates, identity, io.env)) {
      if (isOlder(record)) continue;
      const found = await attachTo(record, io.env, names ?? record.names);
      if ('socket' in found) return found;
    }
    return undefined;
  };
  const running = await find();
  if (running !== undefined) {
    if (!loaded.ok) note(`the gate keeps its last good configuration: ${loaded.problems.map(problemLine).join('; ')}`);
    return running;
  }
  // Only a new gate needs a valid configuration, so the problem is reported as late as this.
  if (!loaded.ok) throw new UnusableConfig(loaded.problems);
  const older = gatesFor(home.gates, identity, io.env).find(isOlder);
  if (older !== undefined) await retire(older, note);
  return startGate(
    {
      home,
      identity,
      environment: environmentHash(names ?? [], io.env),
      // The file is named explicitly: the background process has another working directory and must not search again.
      argv: [...argv, ...(loaded.file === undefined ? [] : ['--config', loaded.file])],
      cwd,
      env: io.env,
      ...(older !== undefined && { replaces: `${older.version} (process ${older.pid})` }),
    },
    find,
  );
}

/** Whether the gate was started by an earlier release: this one takes over from it. */
const isOlder = ({ version: its }: GateRecord): boolean => compareVersions(its, version) < 0;

async function retire(older: GateRecord, note: (text: string) => void): Promise<void> {
  note(
    `gate ${older.pid} has version ${older.version}; it ends when its last client leaves, and ${version} takes over`,
  );
  try {
    await requestGate(older, 'POST', '/gate/retire', { timeoutMs: 5_000 });
  } catch {
    // It has ended meanwhile.
  }
}

/** Resolves when the signal fires; also if it already has. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
