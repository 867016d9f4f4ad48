import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The small files that say which gateways had processes here, so that a later start can end what a crash left. */
export interface Orphans {
  /** Instances whose gateway is dead. */
  readonly stale: readonly number[];
  /** Forgets the stale instances once they have been swept. */
  swept(): void;
  /** Forgets our own instance, after a clean end. */
  forget(): void;
}

/** Writes down that this process owns an instance, and finds those whose owner is gone. */
export function orphans(folder: string, instance: number): Orphans {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (owned: number): string => join(folder, `gateway-${owned}`);
  const stale = readdirSync(folder).flatMap((name) => {
    const owned = Number(/^gateway-(\d{1,10})$/.exec(name)?.[1] ?? Number.NaN);
    return Number.isNaN(owned) || isAlive(fileOf(owned)) ? [] : [owned];
  });
  writeFileSync(fileOf(instance), identityOf(process.pid) ?? '', { mode: 0o600 });
  const forget = (owned: number): void => rmSync(fileOf(owned), { force: true });
  return { stale, swept: () => stale.forEach(forget), forget: () => forget(instance) };
}

function isAlive(file: string): boolean {
  try {
    const written = readFileSync(file, 'utf8');
    return written !== '' && identityOf(Number(written.split(' ')[0])) === written;
  } catch {
    return false;
  }
}

/** A pid alone is reused; with its start time and the boot it names one process for good. */
function identityOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${pid} ${startTime} ${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}`;
  } catch {
    return undefined;
  }
}
