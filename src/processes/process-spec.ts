/** Sandbox tier: `bwrap` has its own file system and pid namespace, `prlimit` only resource limits, `none` neither. */
export type Tier = 'bwrap' | 'prlimit' | 'none';

/** Resource limits of a process; absent limits are not set, but core dumps are always off. */
export interface ProcessLimits {
  readonly cpuSeconds?: number;
  readonly memoryBytes?: number;
  readonly openFiles?: number;
  readonly fileBytes?: number;
  /** Maximum processes at once: by RLIMIT_NPROC, which counts per user, or by a pids cgroup for root, which is exempt from it. */
  readonly processes?: number;
  /** Size of the private /tmp, `bwrap` tier only; 64 MiB by default. */
  readonly tmpBytes?: number;
}

/** The `guarded` profile of the `bwrap` tier: the file system as the user sees it, without credentials and the gateway's files. */
export interface GuardedProfile {
  /** Further places to mask. */
  readonly masked?: readonly string[];
  /** Masked places that stay visible. */
  readonly unmasked?: readonly string[];
  /** Paths the operator names in arguments or variables: visible, although /tmp is private and credentials are masked. */
  readonly named?: readonly string[];
}

/** A program to start: absolute path, arguments, complete environment, sandbox tier and limits. */
export interface ProcessSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Required tier; the run is refused if it is not available. */
  readonly tier: Tier;
  /** Uses the `guarded` profile of the `bwrap` tier; without it the program sees only what is listed (`strict`). */
  readonly guarded?: GuardedProfile;
  readonly network: 'host' | 'none';
  /** Omits no_new_privs, for programs that need a set-uid bit or file capabilities, such as ping. */
  readonly newPrivileges?: boolean;
  /** Paths mounted read-only in the `bwrap` tier. */
  readonly readable?: readonly string[];
  /** Paths mounted writable in the `bwrap` tier. */
  readonly writable?: readonly string[];
  readonly limits: ProcessLimits;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL; 2 s by default. */
  readonly graceMs?: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  /** At the output limit: `kill` kills the tree, `drain` keeps reading and discards the rest. */
  readonly onCap: 'kill' | 'drain';
  onOutput?(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export type RefusalReason = 'sandbox_unavailable' | 'not_found' | 'broker_lost' | 'spawn_failed';

/** The program did not run, or its exit status is unknown. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly message: string;
}

/** How a program ended, without its output. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly truncatedStdout: boolean;
  readonly truncatedStderr: boolean;
  /** Bytes that the program wrote until it ended or was stopped. */
  readonly producedBytes: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  readonly tier: Tier;
}

/** The program ran and its tree is gone or being killed; in the `bwrap` tier, death by signal n is reported as code 128 + n. */
export interface Finished extends ProcessEnd {
  readonly kind: 'finished';
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export type RunResult = Finished | Refused;

/** Builds a refusal value. */
export const toRefusal = (reason: RefusalReason, message: string): Refused => ({ kind: 'refused', reason, message });
