import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { marked, signal, type MarkTest } from './sweep.js';

/** A pids cgroup around one run: it counts processes, root's too, and it can forbid every further fork. */
export interface RunGroup {
  /** Puts a process that was started a moment ago inside, and whatever it may have forked since; false when it could not be. */
  hold(pid: number, isRun: MarkTest): boolean;
  /** Forbids forks and kills every member; resolves when the group is empty and removed, or patience ends. */
  end(): Promise<void>;
}

/** The cgroups of one gateway instance. */
export interface RunGroups {
  make(serial: number, maxProcesses: number): RunGroup | undefined;
}

const patienceMs = 5_000;
const maxStragglers = 200;

/** Cgroups for this instance's runs where the machine lets us make them; undefined where it does not. */
export function runGroups(instance: number): RunGroups | undefined {
  const base = writableBase();
  if (base === undefined) return undefined;
  const folderOf = (serial: number): string => join(base, `toolgate-${instance}-${serial}`);
  return {
    make(serial, maxProcesses) {
      const folder = folderOf(serial);
      return attempt(() => {
        mkdirSync(folder);
        writeFileSync(join(folder, 'pids.max'), String(maxProcesses));
        return runGroup(folder);
      });
    },
  };
}

/** Removes the empty groups that dead gateways left. */
export function removeStaleGroups(instances: ReadonlySet<number>): void {
  const base = pidsBase();
  if (base === undefined) return;
  for (const name of attempt(() => readdirSync(base)) ?? []) {
    const instance = Number(/^toolgate-(\d{1,10})-\d{1,10}$/.exec(name)?.[1] ?? Number.NaN);
    if (instances.has(instance)) attempt(() => rmdirSync(join(base, name)));
  }
}

function runGroup(folder: string): RunGroup {
  const members = (): readonly number[] =>
    (attempt(() => readFileSync(join(folder, 'cgroup.procs'), 'latin1')) ?? '').split('\n').filter((line) => line !== '').map(Number);
  const add = (pid: number): boolean => {
    try {
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
      return true;
    } catch (problem) {
      return problem instanceof Error && 'code' in problem && problem.code === 'ESRCH'; // it has already ended
    }
  };
  let ending: Promise<void> | undefined;

  const emptied = async (): Promise<void> => {
    const until = performance.now() + patienceMs;
    for (let waitMs = 1; performance.now() < until; waitMs = Math.min(waitMs * 2, 50)) {
      if (attempt(() => (rmdirSync(folder), true)) === true) return;
      // Without this a chain of processes that fork and exit is never caught: each is gone before it is seen.
      attempt(() => writeFileSync(join(folder, 'pids.max'), '0'));
      for (const pid of members()) signal(pid, 'SIGKILL');
      await pause(waitMs);
    }
  };

  return {
    hold(first, isRun) {
      // Moving can take the kernel many milliseconds, in which a running program could fork its way past the count.
      const stopped = new Set<number>();
      let isInside = true;
      for (let next: readonly number[] = [first]; next.length > 0 && stopped.size < maxStragglers; ) {
        for (const pid of next) {
          signal(pid, 'SIGSTOP');
          stopped.add(pid);
          isInside &&= add(pid);
        }
        next = isLauncher(first) ? [] : marked(isRun).filter((pid) => !stopped.has(pid) && !members().includes(pid));
      }
      for (const pid of stopped) signal(pid, 'SIGCONT');
      return isInside && stopped.size < maxStragglers;
    },
    end: () => (ending ??= emptied()),
  };
}

/** A process that is still a launcher has forked nothing: prlimit and setpriv only replace themselves. */
const isLauncher = (pid: number): boolean =>
  ['prlimit', 'setpriv'].includes(attempt(() => readlinkSync(`/proc/${pid}/exe`))?.split('/').at(-1) ?? '');

function writableBase(): string | undefined {
  const base = pidsBase();
  if (base === undefined) return undefined;
  const probe = join(base, `toolgate-probe-${process.pid}`);
  return attempt(() => {
    mkdirSync(probe);
    try {
      writeFileSync(join(probe, 'pids.max'), '10');
    } finally {
      rmdirSync(probe);
    }
    return base;
  });
}

/** Where this process's own pids cgroup is mounted, in the first or the second version. */
function pidsBase(): string | undefined {
  const own = attempt(() => readFileSync('/proc/self/cgroup', 'latin1')) ?? '';
  const first = /^\d+:pids:(\/.*)$/m.exec(own)?.[1];
  if (first !== undefined) return join('/sys/fs/cgroup/pids', first);
  const second = /^0::(\/.*)$/m.exec(own)?.[1];
  return second === undefined ? undefined : join('/sys/fs/cgroup', second);
}

function attempt<T>(what: () => T): T | undefined {
  try {
    return what();
  } catch {
    return undefined; // every step here may be forbidden; the caller has another way or refuses
  }
}
