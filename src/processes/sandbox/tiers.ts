import { spawn } from 'node:child_process';
import { describeSystemError } from '../../lib/system-error.js';
import type { BwrapFeatures } from './bwrap.js';
import { planLaunch } from '../launch.js';
import { rootProblem } from '../limits.js';
import { toRttimeLimit, type ProcessMarker } from '../sweep/process-marker.js';
import type { ProtectedPaths } from './protected-paths.js';
import { toRefusal, type ProcessSpec, type Refused } from '../process-spec.js';
import { findExecutable } from '../executables.js';

/** Whether a tier works on this machine; `reason` is set if it does not. */
export interface TierState {
  readonly available: boolean;
  readonly reason?: string;
}

/** Paths of the launcher programs. */
interface Launchers {
  readonly prlimit?: string;
  readonly setpriv?: string;
  readonly bwrap?: string;
  readonly features: BwrapFeatures;
}

/** Sandbox tiers of this machine, each probed with a real program. */
export interface TierReport {
  readonly bwrap: TierState;
  readonly bwrapNoNetwork: TierState;
  /** The `guarded` profile of the bwrap tier. */
  readonly guarded: TierState;
  readonly prlimit: TierState;
  /** Whether the number of processes can be limited; if not, specs with that limit are refused. */
  readonly processLimit: TierState;
  readonly launchers: Launchers;
}

const available: TierState = { available: true };
const unavailable = (reason: string): TierState => ({ available: false, reason });

/** Report of a machine where no tier can be probed. */
export const noTiers = (reason: string): TierReport => ({
  bwrap: unavailable(reason),
  bwrapNoNetwork: unavailable(reason),
  guarded: unavailable(reason),
  prlimit: unavailable(reason),
  processLimit: unavailable(reason),
  launchers: { features: { size: false, disableUserns: false } },
});

/** Probes each tier with a real program and checks the limits it reports about itself. */
export async function probeTiers(
  mark: ProcessMarker,
  hasCgroups: boolean,
  paths: ProtectedPaths,
  platform: string = process.platform,
): Promise<TierReport> {
  const launchers = await findLaunchers(platform);
  const missing = missingLaunchers(launchers, platform);
  // Each tier is assumed to work and then proved or disproved by running a program in it.
  const assumed: TierReport = {
    bwrap: available,
    bwrapNoNetwork: available,
    guarded: available,
    prlimit: available,
    processLimit: available,
    launchers,
  };
  const attempt = (held: Pick<ProcessSpec, 'tier' | 'network' | 'guarded'>): Promise<TierState> => {
    const reason = missing.prlimit ?? (held.tier === 'bwrap' ? missing.bwrap : undefined);
    return reason === undefined ? probeTier(held, mark, assumed, paths) : Promise.resolve(unavailable(reason));
  };
  // In parallel: the probes delay the first start of a program.
  const [prlimit, bwrap, bwrapNoNetwork, guarded] = await Promise.all([
    attempt({ tier: 'prlimit', network: 'host' }),
    attempt({ tier: 'bwrap', network: 'host' }),
    attempt({ tier: 'bwrap', network: 'none' }),
    attempt({ tier: 'bwrap', network: 'host', guarded: {} }),
  ]);
  const problem = prlimit.reason ?? (process.getuid?.() === 0 && !hasCgroups ? rootProblem : undefined);
  const processLimit = problem === undefined ? available : unavailable(problem);
  return { prlimit, bwrap, bwrapNoNetwork, guarded, processLimit, launchers };
}

async function findLaunchers(platform: string): Promise<Launchers> {
  if (platform !== 'linux') return { features: { size: false, disableUserns: false } };
  const prlimit = findExecutable('prlimit');
  const setpriv = findExecutable('setpriv');
  const bwrap = findExecutable('bwrap');
  // By its help text: versions are patched by distributions, so numbers say little.
  const help = bwrap === undefined ? '' : (await runProbe([bwrap, '--help'], '/')).text;
  return {
    ...(prlimit === undefined ? {} : { prlimit }),
    ...(setpriv === undefined ? {} : { setpriv }),
    ...(bwrap === undefined ? {} : { bwrap }),
    features: { size: help.includes('--size '), disableUserns: help.includes('--disable-userns') },
  };
}

function missingLaunchers(
  launchers: Launchers,
  platform: string,
): { readonly prlimit?: string; readonly bwrap?: string } {
  if (platform !== 'linux') return { prlimit: `sandboxing needs Linux; this is ${platform}` };
  if (launchers.prlimit === undefined) return { prlimit: 'prlimit is not installed (package util-linux)' };
  if (launchers.setpriv === undefined) return { prlimit: 'setpriv is not installed (package util-linux)' };
  return launchers.bwrap === undefined ? { bwrap: 'bwrap is not installed (package bubblewrap)' } : {};
}

// What the program must report about itself: limits, no new privileges, no capabilities.
const expectedLines = [
  /^Max cpu time\s+7\s+12\s/m,
  /^Max address space\s+536870912\s+536870912\s/m,
  /^Max open files\s+61\s+61\s/m,
  /^Max file size\s+1048576\s+1048576\s/m,
  /^Max core file size\s+0\s+0\s/m,
  /^NoNewPrivs:\s+1$/m,
  /^CapEff:\s+0+$/m,
];

async function probeTier(
  held: Pick<ProcessSpec, 'tier' | 'network' | 'guarded'>,
  mark: ProcessMarker,
  report: TierReport,
  paths: ProtectedPaths,
): Promise<TierState> {
  const cat = findExecutable('cat');
  if (cat === undefined) return unavailable('cat is not installed');
  const spec: ProcessSpec = {
    ...held,
    file: cat,
    args: ['/proc/self/limits', '/proc/self/status', '/proc/self/mountinfo'],
    env: {},
    // Odd values, so that a limit that was inherited is not taken for one that was set.
    limits: { cpuSeconds: 7, memoryBytes: 536_870_912, openFiles: 61, fileBytes: 1_048_576 },
  };
  const planned = planLaunch(spec, toRttimeLimit(mark), {
    report,
    bestEffort: false,
    uid: process.getuid?.() ?? -1,
    ownLimits: '',
    hasCgroups: false,
    paths,
  });
  if (planned.kind === 'refused') return unavailable(planned.message);
  const { text, error } = await runProbe(planned.argv, planned.cwd);
  const missing = expectedLines.find((line) => !line.test(text));
  // A small pid proves a separate pid namespace.
  const isIsolated = held.tier !== 'bwrap' || /^Pid:\s+\d{1,2}$/m.test(text);
  // A private /tmp proves that the mounts took effect.
  const isPrivate = held.guarded === undefined || / \/tmp .*- tmpfs /.test(text);
  if (missing === undefined && isIsolated && isPrivate) return available;
  return unavailable(error === '' ? `${held.tier} ran a program but its limits had no effect` : error);
}

interface Output {
  readonly text: string;
  readonly error: string;
}

function runProbe([file, ...args]: readonly [string, ...string[]], cwd: string): Promise<Output> {
  return new Promise((resolve) => {
    let text = '';
    let error = '';
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // An empty environment: the probe must not depend on the gateway's.
      env: {},
      cwd,
      // A launcher that hangs counts as unavailable.
      timeout: 5_000,
      killSignal: 'SIGKILL',
    });
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(0, 65_536)));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (error = (error + chunk).slice(0, 300)));
    child.on('error', (problem) =>
      resolve({ text: '', error: `cannot start ${file}: ${describeSystemError(problem)}` }),
    );
    child.on('close', () => resolve({ text, error: error.trim() }));
  });
}

const launcherError = /^(?:prlimit|setpriv|bwrap): .*/;
const execError = /failed to execute|execvp|execute/;

/**
 * Refusal if a launcher failed before the program started, recognised by its error message; undefined if the program ran.
 * A program that imitates such a message only gets its own run reported as refused.
 */
export function launcherFailure(code: number | null, stderrStart: string, sawStdout: boolean): Refused | undefined {
  const line = launcherError.exec(stderrStart)?.[0];
  // A program that wrote to stdout did start, whatever its stderr contains.
  if (line === undefined || sawStdout || code === null || ![1, 126, 127].includes(code)) return undefined;
  return toRefusal(execError.test(line) ? 'spawn_failed' : 'sandbox_unavailable', line.slice(0, 300));
}
