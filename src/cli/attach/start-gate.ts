import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { lockFile } from '../../lib/lock-file.js';
import { sha256 } from '../../lib/hash.js';
import { describeSystemError } from '../../lib/system-error.js';
import type { Home } from '../../serve/home.js';
import { makeHome } from '../../serve/home.js';
import type { GateIdentity } from '../../running/identity.js';
import { version } from '../../version.js';

/** What a background gate is started with. */
interface GateStart {
  readonly home: Home;
  readonly identity: GateIdentity;
  readonly environment: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The older gate that it takes over from. */
  readonly replaces?: string;
}

/** Key of a gate in file names: equal for all assistants that share it. */
export const gateKey = (identity: GateIdentity, environment: string): string =>
  // The version is part of the key: a newer release starts its own gate beside one that retires.
  sha256(`${identity.file ?? ''}\n${identity.settings}\n${environment}\n${version}`).slice(0, 16);

/** A start that takes longer has failed. */
const startLimitMs = 60_000;
/** Interval at which a starting gate is looked for; a start takes a few hundred milliseconds. */
const pollMs = 15;
/** A larger log of earlier runs is moved aside before it is appended to. */
const maxOldLogBytes = 16_777_216;

/**
 * Starts a gate in the background, unless another process is doing so, and resolves with what `find` returns as soon as it
 * returns something; throws with the reason if none comes up.
 */
export async function startGate<T>(start: GateStart, find: () => Promise<T | undefined>): Promise<T> {
  const { home } = start;
  const key = gateKey(start.identity, start.environment);
  try {
    makeHome(home);
    // 0700: connecting to a socket in there is acting as the owner.
    for (const folder of [home.gates, home.logs]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(`cannot write to ${home.folder}: ${describeSystemError(error)}; set another folder with --home`, {
      cause: error,
    });
  }
  const log = join(home.logs, `gate-${key}.log`);
  const until = performance.now() + startLimitMs;
  while (performance.now() < until) {
    // A lock file decides which process starts the gate, so that ten assistants opened at once start one, not ten.
    const locked = lockFile(join(home.gates, `${key}.start`));
    if (!locked.ok) {
      const found = await find();
      if (found !== undefined) return found;
      await wait(pollMs);
      continue;
    }
    try {
      // Looked for again under the lock: the gate may have come up while this process waited for it (double-checked).
      const found = await find();
      if (found !== undefined) return found;
      const child = launch(start, log);
      while (performance.now() < until) {
        const up = await find();
        if (up !== undefined) return up;
        if (child.code() !== undefined && child.code() !== 0)
          throw new Error(`the gate ended with exit code ${child.code()}: ${lastLines(log, child.offset)}`);
        // Exit code 0 of a background gate means that it found the lock of another one.
        if (child.code() === 0) break; // another gate was faster
        await wait(pollMs);
      }
    } finally {
      locked.lock.release();
    }
  }
  throw new Error(`no gate came up within ${startLimitMs / 1000} s; see ${log}`);
}

function launch(
  { argv, cwd, env, replaces }: GateStart,
  log: string,
): { code(): number | null | undefined; readonly offset: number } {
  const offset = openedSize(log);
  const file = openSync(log, 'a', 0o600);
  let ended: number | null | undefined;
  try {
    const child = spawn(
      process.execPath,
      [
        process.argv[1] ?? '',
        'serve',
        '--background',
        // The gate serves sockets; the assistant's pipe stays with this process.
        ...argv.filter((word) => word !== '--stdio'),
        ...(replaces === undefined ? [] : ['--replaces', replaces]),
      ],
      // Detached: the gate outlives the assistant whose relay started it.
      { cwd, env: { ...env, [logVariable]: log }, detached: true, stdio: ['ignore', file, file] },
    );
    child.on('exit', (code) => (ended = code ?? -1));
    child.on('error', () => (ended = -1));
    // Without this the relay could not end before its gate.
    child.unref();
  } finally {
    // The child has its own descriptor now.
    closeSync(file);
  }
  return { code: () => ended, offset };
}

/** Variable with the path of a background gate's log file. */
export const logVariable = 'TOOLGATE_GATE_LOG';

function openedSize(log: string): number {
  try {
    const { size } = statSync(log);
    if (size <= maxOldLogBytes) return size;
    renameSync(log, `${log}.1`);
  } catch {
    // There is no log yet.
  }
  return 0;
}

/** What a failed start wrote, without the log lines of events. */
function lastLines(log: string, offset: number): string {
  try {
    const text = readFileSync(log).subarray(offset).toString('utf8');
    // Lines that begin with a brace are JSON log events; the reason of a failed start is plain text.
    const plain = text.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    return plain.slice(-5).join(' ').trim() || `see ${log}`;
  } catch {
    return `see ${log}`;
  }
}
