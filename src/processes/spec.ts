/** How strongly a process is held: `bwrap` has its own file system and pid namespace, `prlimit` has limits only, `none` has nothing. */
export type Tier = 'bwrap' | 'prlimit' | 'none';

/** What one process may use; an absent limit is not set, except that core dumps are always off. */
export interface ProcessLimits {
  readonly cpuSeconds?: number;
  readonly memoryBytes?: number;
  readonly openFiles?: number;
  readonly fileBytes?: number;
  /** Most processes at once: by RLIMIT_NPROC, which counts per user, or for root, whom that does not hold, by a pids cgroup. */
  readonly processes?: number;
  /** Size of the private /tmp, `bwrap` tier only; 64 MiB unless told. */
  readonly tmpBytes?: number;
}

/** One program to start: an absolute file, its arguments, exactly its environment, and how it must be held. */
export interface ProcessSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The tier the run needs; where it is not available the run is refused. */
  readonly tier: 'bwrap' | 'prlimit';
  readonly network: 'host' | 'none';
  /** Leaves out no_new_privs, for programs that live by a set-uid bit or file capabilities, such as ping. */
  readonly newPrivileges?: boolean;
  /** Paths shown read-only in the `bwrap` tier. */
  readonly readable?: readonly string[];
  /** Paths shown writable in the `bwrap` tier. */
  readonly writable?: readonly string[];
  readonly limits: ProcessLimits;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL; 2 s unless told. */
  readonly graceMs?: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  /** At the cap: `kill` ends the tree at once, `drain` reads on and throws the rest away. */
  readonly onCap: 'kill' | 'drain';
  onOutput?(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

export type RefusalReason = 'sandbox_unavailable' | 'not_found' | 'broker_lost' | 'spawn_failed';

/** The program did not run, or nobody can say how it ended. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RefusalReason;
  readonly message: string;
}

/** The program ran and its whole tree is gone or being swept; in the `bwrap` tier death by signal n reads as code 128 + n. */
export interface Finished {
  readonly kind: 'finished';
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly truncatedStdout: boolean;
  readonly truncatedStderr: boolean;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  readonly tier: Tier;
}

export type RunResult = Finished | Refused;

export const refused = (reason: RefusalReason, message: string): Refused => ({ kind: 'refused', reason, message });
