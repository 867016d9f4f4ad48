import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseMarker, type ProcessMarker } from './process-marker.js';

// Shared: reads are synchronous, so two never overlap.
const buffer = Buffer.alloc(4096);

/** Selects processes by marker. */
type MarkerFilter = (marker: ProcessMarker) => boolean;

/** Finds live processes whose marker matches the filter, excluding this one. */
export function findMarked(test: MarkerFilter): readonly number[] {
  const found: number[] = [];
  for (const name of procEntries()) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    // The marker is an inherited resource limit, which survives setsid, double forks and exec.
    const mark = parseMarker(readTail(`/proc/${pid}/limits`));
    if (mark !== undefined && test(mark) && !isZombie(pid)) found.push(pid);
  }
  return found;
}

/** Sends a signal; false if the process is gone or belongs to another user. */
export function sendSignal(pid: number, name: NodeJS.Signals): boolean {
  // kill(0) would signal our own group, kill(-1) every process of the user.
  if (!Number.isSafeInteger(pid) || Math.abs(pid) <= 1) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** Kills matching processes until none is left; returns how many could not be killed. */
export async function killAll(test: MarkerFilter, timeoutMs = 5_000): Promise<number> {
  const until = performance.now() + timeoutMs;
  // A loop: a process may fork between the search and the signal.
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 50)) {
    const left = findMarked(test);
    if (left.length === 0) return 0;
    for (const pid of left) sendSignal(pid, 'SIGKILL');
    // In uninterruptible sleep a process cannot be killed; the caller reports it.
    if (performance.now() > until) return left.length;
    await pause(waitMs);
  }
}

function procEntries(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return []; // not Linux
  }
}

/** Reads the end of a file; one read into a shared buffer keeps a scan of a thousand processes cheap. */
function readTail(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return '';
  }
  try {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    // The line of the marker is among the last ones.
    return buffer.toString('latin1', Math.max(0, length - 100), length);
  } catch {
    return ''; // the process exited meanwhile
  } finally {
    closeSync(file);
  }
}

// A zombie keeps its limits until its parent reaps it, and cannot be killed: without this check a sweep would never finish.
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // After the last parenthesis: the name of a program may contain any character.
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    // Gone, which is the same for the caller.
    return true;
  }
}
