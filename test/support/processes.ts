import { readdirSync, readFileSync } from 'node:fs';
import type { Finished, ProcessSpec, RunOptions, RunResult } from '../../src/processes/index.js';

const mebibyte = 1024 * 1024;

/** A spec that runs `/bin/sh -c <script>`, held by limits only unless told otherwise. */
export const aSpec = (script: string, over: Partial<ProcessSpec> = {}): ProcessSpec => ({
  file: '/bin/sh',
  args: ['-c', script],
  env: { PATH: '/usr/bin:/bin' },
  tier: 'prlimit',
  network: 'host',
  limits: { cpuSeconds: 20, memoryBytes: 512 * mebibyte, openFiles: 128, fileBytes: mebibyte },
  ...over,
});

export const aRun = (over: Partial<RunOptions> = {}): RunOptions => ({
  timeoutMs: 20_000,
  maxStdoutBytes: mebibyte,
  maxStderrBytes: mebibyte,
  onCap: 'kill',
  ...over,
});

/** The result of a run that must have ended by itself or by us, not been refused. */
export function finished(result: RunResult): Finished {
  if (result.kind !== 'finished') throw new Error(`refused: ${result.reason}: ${result.message}`);
  return result;
}

/** The living processes that have this word in their command line; found without any mark of ours. */
export function processesNamed(word: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word) && !/^[ZX]/.test(stateOf(pid));
      } catch {
        return false;
      }
    });
}

const stateOf = (pid: number): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2);
};

/** The zombies among a process's children. */
export const zombiesOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const [state, ppid] = stateOf(pid).split(' ');
        return state === 'Z' && Number(ppid) === parent;
      } catch {
        return false;
      }
    });

/** A length of sleep that nobody else on the machine sleeps for. */
export const oddSleep = (): string =>
  `${30_000 + Math.floor(Math.random() * 60_000)}.${Math.floor(Math.random() * 1e9)}`;

/** Waits until something holds; fails loudly instead of hanging. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  holds: (value: T) => boolean,
  patienceMs = 15_000,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (performance.now() > until) throw new Error(`still ${JSON.stringify(value)} after ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
