import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fromLimits, type Mark } from './mark.js';

const buffer = Buffer.alloc(4096);

/** Which processes to find. */
export type MarkTest = (mark: Mark) => boolean;

/** The living processes of this machine whose mark passes the test, never including ourselves. */
export function marked(test: MarkTest): readonly number[] {
  const found: number[] = [];
  for (const name of processNames()) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const mark = fromLimits(tailOf(`/proc/${pid}/limits`));
    if (mark !== undefined && test(mark) && !isZombie(pid)) found.push(pid);
  }
  return found;
}

/** Sends a signal; false when the process is gone or not ours to signal. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  // 0 would be our own group and -1 everything we may signal.
  if (!Number.isSafeInteger(pid) || Math.abs(pid) <= 1) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Kills every process that passes the test until none is left; answers how many could not be killed. */
export async function killAll(test: MarkTest, patienceMs = 5_000): Promise<number> {
  const until = performance.now() + patienceMs;
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
    const left = marked(test);
    if (left.length === 0) return 0;
    for (const pid of left) signal(pid, 'SIGKILL');
    if (performance.now() > until) return left.length;
    await pause(waitMs);
  }
}

function processNames(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return []; // not Linux
  }
}

/** The last line is all we need, and one read into one buffer keeps a scan of a thousand processes cheap. */
function tailOf(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return buffer.toString('latin1', Math.max(0, length - 100), length);
  } catch {
    return ''; // it ended while we looked
  } finally {
    closeSync(file);
  }
}

// A zombie keeps its limits until its parent reaps it, and no signal can end it: without this a sweep would never finish.
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
