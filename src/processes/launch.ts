import { statSync } from 'node:fs';
import { bwrapFlags } from './bwrap.js';
import { limitProblem, possibleLimits, prlimitFlags } from './limits.js';
import { refused, type ProcessSpec, type Refused, type Tier } from './spec.js';
import type { TierReport } from './tiers.js';
import { isExecutable } from './tools.js';

/** What a start is judged against: the machine's tiers and who we are on it. */
export interface Ground {
  readonly report: TierReport;
  readonly bestEffort: boolean;
  readonly uid: number;
  /** The text of /proc/self/limits. */
  readonly ownLimits: string;
  /** Whether runs can be put into a pids cgroup. */
  readonly hasCgroups: boolean;
}

/** The exact command that starts a program in its tier. */
export interface Launch {
  readonly kind: 'launch';
  readonly tier: Tier;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** What a cgroup must hold the run to, launchers included; absent where a limit of the process does it. */
  readonly maxProcesses?: number;
}

/** How this spec is started here, or why it is not. */
export function launch(spec: ProcessSpec, mark: bigint, ground: Ground): Launch | Refused {
  const problem = specProblem(spec);
  if (problem !== undefined) return problem;
  const tier = tierFor(spec, ground);
  if (typeof tier !== 'string') return tier;
  const program = [spec.file, ...spec.args] as const;
  const { prlimit, setpriv, bwrap, features } = ground.report.launchers;
  if (tier === 'none' || prlimit === undefined || setpriv === undefined) {
    return { kind: 'launch', tier: 'none', argv: program, cwd: spec.cwd ?? '/' };
  }
  const limits = limitsFor(spec, ground);
  if ('kind' in limits) return limits;
  const counted =
    ground.uid === 0 && limits.processes !== undefined
      ? { maxProcesses: limits.processes + (tier === 'bwrap' ? 2 : 0) }
      : {};
  const limited = [prlimit, ...prlimitFlags(limits, mark), '--'] as const;
  if (tier === 'bwrap' && bwrap !== undefined) {
    return {
      kind: 'launch',
      tier,
      argv: [...limited, bwrap, ...bwrapFlags(spec, features), '--', ...program],
      cwd: '/',
      ...counted,
    };
  }
  return {
    kind: 'launch',
    tier: 'prlimit',
    argv: [...limited, setpriv, ...setprivFlags(spec, ground.uid), '--', ...program],
    cwd: spec.cwd ?? '/',
    ...counted,
  };
}

/** The strongest reason against a tier, or the tier itself; weaker than asked only where best effort is configured. */
function tierFor(spec: ProcessSpec, { report, bestEffort, uid }: Ground): Tier | Refused {
  const states = {
    bwrap: spec.network === 'none' ? report.bwrapNoNetwork : report.bwrap,
    prlimit: report.prlimit,
  };
  const against =
    states[spec.tier].reason ??
    (spec.tier === 'prlimit' && spec.network === 'none'
      ? 'only the bwrap tier can take the network away'
      : undefined) ??
    (spec.tier === 'bwrap' && spec.newPrivileges === true && uid !== 0
      ? 'bwrap always sets no_new_privs, so only root can give new privileges inside it'
      : undefined);
  if (against === undefined) return spec.tier;
  if (!bestEffort) return refused('sandbox_unavailable', `The ${spec.tier} sandbox is not available: ${against}`);
  return states.prlimit.reason === undefined ? 'prlimit' : 'none';
}

function limitsFor(
  spec: ProcessSpec,
  { ownLimits, uid, bestEffort, hasCgroups }: Ground,
): ProcessSpec['limits'] | Refused {
  const problem = limitProblem(spec.limits, ownLimits, uid, hasCgroups);
  if (problem === undefined) return spec.limits;
  return bestEffort
    ? possibleLimits(spec.limits, ownLimits, uid)
    : refused('sandbox_unavailable', `A limit cannot be set: ${problem}`);
}

function setprivFlags(spec: ProcessSpec, uid: number): readonly string[] {
  const raw = spec.newPrivileges === true;
  return [
    ...(raw ? [] : ['--no-new-privs']),
    // Root with its capabilities could raise every limit again.
    ...(uid === 0 ? [`--bounding-set=-all${raw ? ',+net_raw,+net_admin,+setuid,+setgid' : ''}`] : []),
    '--pdeathsig',
    'KILL',
  ];
}

function specProblem(spec: ProcessSpec): Refused | undefined {
  if (!spec.file.startsWith('/')) return refused('spawn_failed', 'The program is not an absolute path');
  if (!isExecutable(spec.file)) return refused('not_found', `${spec.file} is not an executable file`);
  const texts = [spec.file, ...spec.args, ...Object.entries(spec.env).flat(), spec.cwd ?? ''];
  if (texts.some((text) => text.includes('\0')))
    return refused('spawn_failed', 'An argument or variable holds a NUL character');
  // The loader reads these in the launchers too, which would run foreign code before any limit is set.
  const loader = Object.keys(spec.env).find(
    (name) => name.startsWith('LD_') || name === 'GLIBC_TUNABLES' || name.includes('='),
  );
  if (loader !== undefined) return refused('spawn_failed', `The environment may not set ${loader}`);
  const folder = spec.cwd ?? '/';
  if (spec.tier === 'prlimit' && !isFolder(folder))
    return refused('spawn_failed', `The working directory ${folder} does not exist`);
  return undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
