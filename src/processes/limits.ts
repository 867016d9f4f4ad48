import { readFileSync } from 'node:fs';
import type { ProcessLimits } from './process-spec.js';

/** One resource limit: flag of prlimit(1), label in /proc/<pid>/limits, soft and hard value. */
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

/** Flags for prlimit(1); it does not start the program if a limit cannot be set. */
export const prlimitFlags = (limits: ProcessLimits, mark: bigint): readonly string[] => [
  ...rowsOf(limits).map(({ flag, soft, hard }) => `--${flag}=${soft}:${hard}`),
  `--rttime=${mark}:${mark}`,
];

/** Reason why processes of root cannot be limited without a cgroup. */
export const rootProblem = 'limit nproc has no effect for root, and no pids cgroup can be created here';

/** Reason why these limits cannot be enforced, or undefined; `own` is the text of /proc/self/limits. */
export function limitProblem(limits: ProcessLimits, own: string, uid: number, hasCgroups = false): string | undefined {
  for (const { flag, label, soft, hard } of rowsOf(limits)) {
    if (!Number.isSafeInteger(soft) || soft < 0) return `limit ${flag} is not a whole number: ${soft}`;
    const ceiling = hardLimit(own, label);
    // Only root can exceed the hard limit; a program must not run with a limit other than the configured one.
    if (uid !== 0 && ceiling !== undefined && hard > ceiling) {
      return `limit ${flag} cannot be raised to ${hard}: the hard limit here is ${ceiling}`;
    }
  }
  // The kernel ignores RLIMIT_NPROC for root: setting it would only look like a limit.
  if (uid === 0 && limits.processes !== undefined && !hasCgroups) return rootProblem;
  return undefined;
}

/** Reduces limits to what this machine allows; for `bestEffort` only. */
export function possibleLimits(limits: ProcessLimits, own: string, uid: number): ProcessLimits {
  const { processes, ...rest } = limits;
  if (uid === 0) return rest;
  const clamp = (value: number | undefined, label: string, extra = 0): number | undefined =>
    value === undefined ? undefined : Math.min(value, (hardLimit(own, label) ?? Infinity) - extra);
  const reduced = {
    cpuSeconds: clamp(limits.cpuSeconds, 'Max cpu time', 5),
    memoryBytes: clamp(limits.memoryBytes, 'Max address space'),
    openFiles: clamp(limits.openFiles, 'Max open files'),
    fileBytes: clamp(limits.fileBytes, 'Max file size'),
    processes: clamp(processes, 'Max processes'),
    tmpBytes: limits.tmpBytes,
  };
  return Object.fromEntries(Object.entries(reduced).filter(([, value]) => value !== undefined));
}

function hardLimit(own: string, label: string): number | undefined {
  const line = own.split('\n').find((candidate) => candidate.startsWith(label));
  const hard = line?.slice(label.length).trim().split(/\s+/)[1];
  return hard === undefined || hard === 'unlimited' ? undefined : Number(hard);
}

/** Text of /proc/self/limits; empty on systems without it. */
export function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'latin1');
  } catch {
    return '';
  }
}
