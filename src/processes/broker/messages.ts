import type { Socket } from 'node:net';
import type { ProcessEnd, ProcessSpec, Refused } from '../process-spec.js';
import type { ProtectedPaths } from '../sandbox/protected-paths.js';
import type { TierReport } from '../sandbox/tiers.js';

/** First frame to a broker: its instance, the stale instances to sweep, and the tiers an earlier broker found. */
export interface Hello {
  readonly instance: number;
  readonly bestEffort: boolean;
  /** Places that sandboxed programs are kept away from. */
  readonly paths: ProtectedPaths;
  /** Instances of gateways that died without cleaning up. */
  readonly stale: readonly number[];
  /** Set if this broker replaces one that crashed: its processes are killed before anything starts. */
  readonly replaces: boolean;
  readonly report?: TierReport;
}

/** One program to start, and how its output is bounded. */
export interface StartRequest {
  readonly kind: 'run' | 'open';
  readonly spec: ProcessSpec;
  readonly graceMs: number;
  readonly timeoutMs?: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly onCap: 'kill' | 'drain';
}

/** Message about a program that ended; its output travels separately. */
export interface ExitReport extends ProcessEnd {
  /** Set if a launcher (prlimit, setpriv, bwrap) failed before the program started. */
  readonly refused?: Refused;
}

/** Which of a program's pipes a socket is. */
export type Pipe = 'stdin' | 'stdout';

/** Message that accompanies a socket passed to the gateway. */
export interface PassedPipe {
  readonly id: number;
  readonly pipe: Pipe;
}

/** A process under way in the broker; receives the frames with its id. */
export interface ProcessEntry {
  /** Handles a frame; true if it was the last one. */
  take(kind: number, payload: Buffer): boolean;
  /** Takes over a pipe of the program; false if it cannot use it. */
  adopt?(pipe: Pipe, socket: Socket): boolean;
  lost(refusal: Refused): void;
  /** Deadline for the broker's response, in terms of performance.now(). */
  readonly dueAt: number;
}

/** Flow-control window: output bytes in flight to the gateway per process before its pipes are paused (backpressure). */
export const outputWindowBytes = 256 * 1024;

/** "No limit" as a JSON number. */
export const uncapped = Number.MAX_SAFE_INTEGER;
