import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that record which gateways ran here, so that a later start can kill processes a crash left behind. */
interface Orphans {
  /** Instances whose gateway no longer runs. */
  readonly stale: readonly number[];
  /** Removes the records of stale instances after their processes were killed. */
  clearStale(): void;
  /** Removes the record of this instance, after a clean exit. */
  release(): void;
}

/** Records that this process owns an instance, and finds instances whose owner is gone. */
export function orphans(folder: string, instance: number): Orphans {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (owned: number): string => join(folder, `gateway-${owned}`);
  const stale = readdirSync(folder).flatMap((name) => {
    const owned = Number(/^gateway-(\d{1,10})$/.exec(name)?.[1] ?? Number.NaN);
    return Number.isNaN(owned) || isAlive(fileOf(owned)) ? [] : [owned];
  });
  writeFileSync(fileOf(instance), processIdentity(process.pid) ?? '', { mode: 0o600 });
  const removeRecord = (owned: number): void => rmSync(fileOf(owned), { force: true });
  return { stale, clearStale: () => stale.forEach(removeRecord), release: () => removeRecord(instance) };
}

function isAlive(file: string): boolean {
  try {
    const written = readFileSync(file, 'utf8');
    return written !== '' && processIdentity(Number(written.split(' ')[0])) === written;
  } catch {
    return false;
  }
}

/** Unique identity of a process: pids are reused, but not together with start time and boot id. */
function processIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${pid} ${startTime} ${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}`;
  } catch {
    return undefined;
  }
}
