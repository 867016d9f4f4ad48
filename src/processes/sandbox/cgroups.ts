import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sendSignal } from '../sweep/process-sweep.js';

/** A pids cgroup for one run: limits processes, also those of root, and can forbid further forks. */
export interface RunGroup {
  /**
   * Moves this process into the group, so that its child starts inside: a child moved afterwards could already have
   * forked (race). False on failure; `leave` must follow at once.
   */
  enter(): boolean;
  /** Moves this process out again; false if the broker is stuck in a group that will be killed. */
  leave(): boolean;
  /** Forbids forks and kills every member; resolves when the group is removed, or after a timeout. */
  end(): Promise<void>;
}

/** The cgroups of one gateway instance. */
interface RunGroups {
  create(serial: number, maxProcesses: number): RunGroup | undefined;
}

const killTimeoutMs = 5_000;

/** Cgroups for the runs of an instance; undefined if cgroups cannot be created here. */
export function runGroups(instance: number): RunGroups | undefined {
  const base = writableBase();
  if (base === undefined) return undefined;
  const folderOf = (serial: number): string => join(base, `toolgate-${instance}-${serial}`);
  return {
    create(serial, maxProcesses) {
      const folder = folderOf(serial);
      return attempt(() => {
        mkdirSync(folder);
        return runGroup(base, folder, maxProcesses);
      });
    },
  };
}

/** Removes empty groups of gateways that are gone. */
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

  const killUntilEmpty = async (): Promise<void> => {
    const until = performance.now() + killTimeoutMs;
    for (let waitMs = 1; performance.now() < until; waitMs = Math.min(waitMs * 2, 50)) {
      if (attempt(() => (rmdirSync(folder), true)) === true) return;
      // Without this a chain of processes that fork and exit (fork bomb) outruns the kill loop.
      attempt(() => setMax(0));
      for (const pid of members()) sendSignal(pid, 'SIGKILL');
      await pause(waitMs);
    }
  };

  return {
    enter() {
      // The broker's own threads count too while it is inside.
      const threads = attempt(() => readdirSync('/proc/self/task').length) ?? 0;
      return attempt(() => (setMax(maxProcesses + threads + 1), add(folder), true)) === true;
    },
    leave: () => attempt(() => (add(base), setMax(maxProcesses), true)) === true,
    end: () => (ending ??= killUntilEmpty()),
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

/** Folder of this process's own pids cgroup, for cgroup v1 and v2. */
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
    return undefined; // every step may be forbidden here; callers fall back or refuse the run
  }
}
