import { statSync } from 'node:fs';
import { bwrapFlags } from './sandbox/bwrap.js';
import { limitProblem, possibleLimits, prlimitFlags } from './limits.js';
import type { ProtectedPaths } from './sandbox/protected-paths.js';
import { toRefusal, type ProcessSpec, type Refused, type Tier } from './process-spec.js';
import type { TierReport, TierState } from './sandbox/tiers.js';
import { isExecutable } from './executables.js';

/** Machine and user properties that decide how a program can be started. */
export interface LaunchContext {
  readonly report: TierReport;
  readonly bestEffort: boolean;
  readonly uid: number;
  /** The text of /proc/self/limits. */
  readonly ownLimits: string;
  /** Whether pids cgroups can be created. */
  readonly hasCgroups: boolean;
  /** Places that sandboxed programs are kept away from. */
  readonly paths: ProtectedPaths;
}

/** The exact command that starts a program in its tier. */
export interface Launch {
  readonly kind: 'launch';
  readonly tier: Tier;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Limit for the pids cgroup, launchers included; absent if RLIMIT_NPROC is enough. */
  readonly maxProcesses?: number;
}

/** Plans the command line for a spec, or refuses it. */
export function planLaunch(spec: ProcessSpec, mark: bigint, context: LaunchContext): Launch | Refused {
  const problem = specProblem(spec);
  if (problem !== undefined) return problem;
  const tier = tierFor(spec, context);
  // A refusal instead of a weaker sandbox than the one that was required (fail closed).
  if (typeof tier !== 'string') return tier;
  const program = [spec.file, ...spec.args] as const;
  const { prlimit, setpriv, bwrap, features } = context.report.launchers;
  if (tier === 'none' || prlimit === undefined || setpriv === undefined) {
    return { kind: 'launch', tier: 'none', argv: program, cwd: spec.cwd ?? '/' };
  }
  const limits = limitsFor(spec, context);
  if ('kind' in limits) return limits;
  const processLimit =
    // RLIMIT_NPROC does not apply to root, so a pids cgroup counts instead.
    context.uid === 0 && limits.processes !== undefined
      ? // bwrap itself adds two processes.
        { maxProcesses: limits.processes + (tier === 'bwrap' ? 2 : 0) }
      : {};
  // Limits are set outermost, so that they also hold for the launchers.
  const limited = [prlimit, ...prlimitFlags(limits, mark), '--'] as const;
  if (tier === 'bwrap' && bwrap !== undefined) {
    return {
      kind: 'launch',
      tier,
      argv: [...limited, bwrap, ...bwrapFlags(spec, features, context.paths, context.uid), '--', ...program],
      // bwrap changes the folder itself; the outer one may be invisible inside.
      cwd: '/',
      ...processLimit,
    };
  }
  return {
    kind: 'launch',
    tier: 'prlimit',
    argv: [...limited, setpriv, ...setprivFlags(spec, context.uid), '--', ...program],
    cwd: spec.cwd ?? '/',
    ...processLimit,
  };
}

/** Selects the tier; a weaker one than required only with best effort, else a refusal with the reason. */
function tierFor(spec: ProcessSpec, { report, bestEffort, uid }: LaunchContext): Tier | Refused {
  const states = {
    bwrap: bwrapState(spec, report),
    prlimit: report.prlimit,
    none: { available: true } as TierState,
  };
  const reason =
    states[spec.tier].reason ??
    // Refused rather than ignored: a caller that asks for no network must not get one.
    (spec.tier !== 'bwrap' && spec.network === 'none' ? 'only the bwrap tier can cut off the network' : undefined) ??
    (spec.tier === 'bwrap' && spec.newPrivileges === true && uid !== 0
      ? 'bwrap always sets no_new_privs, so only root can give new privileges inside it'
      : undefined);
  if (reason === undefined) return spec.tier;
  if (!bestEffort) return toRefusal('sandbox_unavailable', `The ${spec.tier} sandbox is not available: ${reason}`);
  // Best effort: the strongest tier that works.
  return states.prlimit.reason === undefined ? 'prlimit' : 'none';
}

const bwrapState = ({ guarded, network }: ProcessSpec, report: TierReport): TierState => {
  if (guarded !== undefined && !report.guarded.available) return report.guarded;
  return network === 'none' ? report.bwrapNoNetwork : report.bwrap;
};

function limitsFor(
  spec: ProcessSpec,
  { ownLimits, uid, bestEffort, hasCgroups }: LaunchContext,
): ProcessSpec['limits'] | Refused {
  const problem = limitProblem(spec.limits, ownLimits, uid, hasCgroups);
  if (problem === undefined) return spec.limits;
  return bestEffort
    ? // Keeps the limits that can be set, and drops the rest.
      possibleLimits(spec.limits, ownLimits, uid)
    : toRefusal('sandbox_unavailable', `Cannot set a resource limit: ${problem}`);
}

function setprivFlags(spec: ProcessSpec, uid: number): readonly string[] {
  const raw = spec.newPrivileges === true;
  return [
    ...(raw ? [] : ['--no-new-privs']),
    // Root with its capabilities could raise every limit again (privilege escalation).
    ...(uid === 0 ? [`--bounding-set=-all${raw ? ',+net_raw,+net_admin,+setuid,+setgid' : ''}`] : []),
    // Ends the program with its parent, even after kill -9 of the gateway.
    '--pdeathsig',
    'KILL',
  ];
}

function specProblem(spec: ProcessSpec): Refused | undefined {
  // Never searched on PATH: a folder in front of the real one could replace the program.
  if (!spec.file.startsWith('/')) return toRefusal('spawn_failed', 'The path of the program is not absolute');
  if (!isExecutable(spec.file)) return toRefusal('not_found', `${spec.file} is not an executable file`);
  const texts = [spec.file, ...spec.args, ...Object.entries(spec.env).flat(), spec.cwd ?? ''];
  // NUL ends a C string: what is checked and what is executed would differ.
  if (texts.some((text) => text.includes('\0')))
    return toRefusal('spawn_failed', 'An argument or environment variable contains a NUL character');
  // The dynamic loader reads these in the launchers too: LD_PRELOAD would run untrusted code before any limit is set.
  const loader = Object.keys(spec.env).find(
    (name) => name.startsWith('LD_') || name === 'GLIBC_TUNABLES' || name.includes('='),
  );
  if (loader !== undefined) return toRefusal('spawn_failed', `The environment must not set ${loader}`);
  const folder = spec.cwd ?? '/';
  if ((spec.tier !== 'bwrap' || spec.guarded !== undefined) && !isFolder(folder))
    return toRefusal('spawn_failed', `The working directory ${folder} does not exist`);
  return undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
