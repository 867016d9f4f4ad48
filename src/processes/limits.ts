import { readFileSync } from 'node:fs';
import type { ProcessLimits } from './spec.js';

interface Row {
  readonly flag: string;
  readonly label: string;
  readonly soft: number;
  readonly hard: number;
}

const rowsOf = (limits: ProcessLimits): readonly Row[] => {
  const row = (flag: string, label: string, value: number | undefined, extra = 0): readonly Row[] =>
    value === undefined ? [] : [{ flag, label, soft: value, hard: value + extra }];
  return [
    ...row('cpu', 'Max cpu time', limits.cpuSeconds, 5),
    ...row('as', 'Max address space', limits.memoryBytes),
    ...row('nofile', 'Max open files', limits.openFiles),
    ...row('fsize', 'Max file size', limits.fileBytes),
    ...row('nproc', 'Max processes', limits.processes),
    ...row('core', 'Max core file size', 0),
  ];
};

/** The flags that make prlimit(1) set these limits, and refuse to start the program if it cannot. */
export const prlimitFlags = (limits: ProcessLimits, mark: bigint): readonly string[] => [
  ...rowsOf(limits).map(({ flag, soft, hard }) => `--${flag}=${soft}:${hard}`),
  `--rttime=${mark}:${mark}`,
];

/** Why root's processes cannot be counted without a cgroup. */
export const rootProblem = 'limit nproc does not hold for root, and no pids cgroup can be made here';

/** Why these limits cannot be what they say, or undefined; `own` is the text of /proc/self/limits. */
export function limitProblem(limits: ProcessLimits, own: string, uid: number, hasCgroups = false): string | undefined {
  for (const { flag, label, soft, hard } of rowsOf(limits)) {
    if (!Number.isSafeInteger(soft) || soft < 0) return `limit ${flag} is not a whole number: ${soft}`;
    const ceiling = hardLimit(own, label);
    // Asking for more than the hard limit fails for anyone but root; the program must not run with another limit than asked.
    if (uid !== 0 && ceiling !== undefined && hard > ceiling) {
      return `limit ${flag} cannot be raised to ${hard}: the hard limit here is ${ceiling}`;
    }
  }
  // The kernel does not hold root to RLIMIT_NPROC: setting it would look like a limit and be none.
  if (uid === 0 && limits.processes !== undefined && !hasCgroups) return rootProblem;
  return undefined;
}

/** The same limits cut down to what can be had, for `bestEffort` only. */
export function possibleLimits(limits: ProcessLimits, own: string, uid: number): ProcessLimits {
  const { processes, ...rest } = limits;
  if (uid === 0) return rest;
  const cut = (value: number | undefined, label: string, extra = 0): number | undefined =>
    value === undefined ? undefined : Math.min(value, (hardLimit(own, label) ?? Infinity) - extra);
  const kept = {
    cpuSeconds: cut(limits.cpuSeconds, 'Max cpu time', 5),
    memoryBytes: cut(limits.memoryBytes, 'Max address space'),
    openFiles: cut(limits.openFiles, 'Max open files'),
    fileBytes: cut(limits.fileBytes, 'Max file size'),
    processes: cut(processes, 'Max processes'),
    tmpBytes: limits.tmpBytes,
  };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}

function hardLimit(own: string, label: string): number | undefined {
  const line = own.split('\n').find((candidate) => candidate.startsWith(label));
  const hard = line?.slice(label.length).trim().split(/\s+/)[1];
  return hard === undefined || hard === 'unlimited' ? undefined : Number(hard);
}

/** The text of this process's own limits; empty where the system does not tell. */
export function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return '';
  }
}
