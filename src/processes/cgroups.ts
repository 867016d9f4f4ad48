import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { signal } from './sweep.js';

/** A pids cgroup around one run: it counts processes, root's too, and it can forbid every further fork. */
export interface RunGroup {
  /**
   * Puts this very process inside, so that what it starts is born there: a child moved afterwards could have forked
   * its way past the count. False when it could not be; `leave` must follow at once.
   */
  enter(): boolean;
  /** Takes this process out again; false leaves the broker in a group that will be killed. */
  leave(): boolean;
  /** Forbids forks and kills every member; resolves when the group is empty and removed, or patience ends. */
  end(): Promise<void>;
}

/** The cgroups of one gateway instance. */
export interface RunGroups {
  make(serial: number, maxProcesses: number): RunGroup | undefined;
}

const patienceMs = 5_000;

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
        return runGroup(base, folder, maxProcesses);
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

function runGroup(base: string, folder: string, maxProcesses: number): RunGroup {
  const members = (): readonly number[] =>
    (attempt(() => readFileSync(join(folder, 'cgroup.procs'), 'latin1')) ?? '')
      .split('\n')
      .map(Number)
      .filter((pid) => pid > 0 && pid !== process.pid);
  const add = (group: string): void => writeFileSync(join(group, 'cgroup.procs'), String(process.pid));
  const setMax = (count: number): void => writeFileSync(join(folder, 'pids.max'), String(count));
  let ending: Promise<void> | undefined;

  const emptied = async (): Promise<void> => {
    const until = performance.now() + patienceMs;
    for (let waitMs = 1; performance.now() < until; waitMs = Math.min(waitMs * 2, 50)) {
      if (attempt(() => (rmdirSync(folder), true)) === true) return;
      // Without this a chain of processes that fork and exit is never caught: each is gone before it is seen.
      attempt(() => setMax(0));
      for (const pid of members()) signal(pid, 'SIGKILL');
      await pause(waitMs);
    }
  };

  return {
    enter() {
      // Our own threads count too for the moment that we are inside.
      const threads = attempt(() => readdirSync('/proc/self/task').length) ?? 0;
      return attempt(() => (setMax(maxProcesses + threads + 1), add(folder), true)) === true;
    },
    leave: () => attempt(() => (add(base), setMax(maxProcesses), true)) === true,
    end: () => (ending ??= emptied()),
  };
}

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
