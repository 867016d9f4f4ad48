import type { Launch } from './launch.js';
import type { RunGroup } from './sandbox/cgroups.js';
import type { ProcessMarker } from './sweep/process-marker.js';
import { findMarked, sendSignal } from './sweep/process-sweep.js';
import type { Sweeper } from './sweep/sweeper.js';

/** Marker, sweeper and cgroup that keep track of the processes of a run. */
export interface Containment {
  readonly marker: ProcessMarker;
  readonly sweeper: Sweeper;
  readonly group: RunGroup | undefined;
}

interface TreeEndOptions extends Containment {
  readonly pid: number | undefined;
  readonly tier: Launch['tier'];
  /** Whether the first process was reaped. */
  readonly isExited: () => boolean;
  onProblem(message: string): void;
  /** Called if the first process cannot be reaped. */
  onStuck(): void;
}

const stuckMs = 5_000;

/** Ends all processes of a run, wherever they moved: by group, by marker and by cgroup. */
export function treeEnd({ marker, sweeper, group, pid, tier, isExited, onProblem, onStuck }: TreeEndOptions) {
  let isKilling = false;
  let graceTimer: NodeJS.Timeout | undefined;
  let stuckTimer: NodeJS.Timeout | undefined;
  const isOfRun = ({ instance, serial }: ProcessMarker): boolean =>
    instance === marker.instance && serial === marker.serial;

  const terminate = (first: number): void => {
    // SIGTERM to bwrap's outer process would kill the whole namespace at once, so it goes to the processes inside.
    const inside = findMarked(isOfRun).filter((candidate) => tier !== 'bwrap' || candidate !== first);
    for (const candidate of inside) sendSignal(candidate, 'SIGTERM');
    if (inside.length === 0) sendSignal(-first, 'SIGTERM'); // not both: many programs exit immediately on a second SIGTERM
  };

  const sweep = async (): Promise<void> => {
    const [left] = await Promise.all([sweeper.sweep(marker.serial), group?.end()]);
    if (left > 0) onProblem(`${left} processes could not be killed`);
  };

  const kill = (): void => {
    if (pid === undefined || isKilling) return;
    isKilling = true;
    // After the process is reaped its group id may be reused; from then on only the marker identifies our processes.
    if (!isExited() || tier === 'none') sendSignal(-pid, 'SIGKILL');
    // A process in uninterruptible sleep cannot be reaped; the caller must not wait for it.
    void sweep().then(() => {
      if (!isExited()) stuckTimer = setTimeout(onStuck, stuckMs);
    });
  };

  return {
    isKilling: () => isKilling,
    kill,
    sweep,
    /** SIGTERM, the grace, SIGKILL. */
    end(graceMs: number): void {
      if (pid === undefined) return;
      clearTimeout(graceTimer);
      if (graceMs <= 0) return kill();
      terminate(pid);
      graceTimer = setTimeout(kill, graceMs);
    },
    /** Kills what the program left behind: daemons, background jobs, children that hold the pipe open. */
    afterExit(): void {
      clearTimeout(graceTimer);
      void (tier === 'prlimit' ? sweep() : group?.end());
      if (tier === 'none' && pid !== undefined) sendSignal(-pid, 'SIGKILL');
    },
    clear(): void {
      clearTimeout(graceTimer);
      clearTimeout(stuckTimer);
      void group?.end();
    },
  };
}
