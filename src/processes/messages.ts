import type { Socket } from 'node:net';
import type { ProcessSpec, Refused, Tier } from './spec.js';
import type { TierReport } from './tiers.js';

/** The first frame to a broker: whose it is, what to sweep, and what an earlier broker already found out. */
export interface Hello {
  readonly instance: number;
  readonly bestEffort: boolean;
  /** Instances of gateways that died without cleaning up. */
  readonly stale: readonly number[];
  /** Set when this broker replaces one that died: its processes are swept before anything starts. */
  readonly replaces: boolean;
  readonly report?: TierReport;
}

/** One program to start, and how its output is bounded. */
export interface Start {
  readonly kind: 'run' | 'open';
  readonly spec: ProcessSpec;
  readonly graceMs: number;
  readonly timeoutMs?: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly onCap: 'kill' | 'drain';
}

/** How a program ended, without its output. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly truncatedStdout: boolean;
  readonly truncatedStderr: boolean;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly durationMs: number;
  readonly tier: Tier;
  /** Set when a launcher gave up before the program was reached. */
  readonly refused?: Refused;
}

/** Which of a program's pipes a socket is. */
export type Pipe = 'stdin' | 'stdout';

/** What the broker says with each socket that it passes to the gateway. */
export interface Passed {
  readonly id: number;
  readonly pipe: Pipe;
}

/** One thing the broker is doing for us; each frame with its id lands here. */
export interface Entry {
  /** True when this was the last frame for the entry. */
  take(kind: number, payload: Buffer): boolean;
  /** Takes over a pipe of the program; false where it has no use for one. */
  adopt?(pipe: Pipe, socket: Socket): boolean;
  lost(refusal: Refused): void;
  /** When the broker must have answered by, on the clock of performance.now(). */
  readonly dueAt: number;
}

/** Output bytes that may be on their way to the gateway for one process before its pipes are left full. */
export const outputWindowBytes = 256 * 1024;

/** Stands for "no cap" where a number is needed in JSON. */
export const uncapped = Number.MAX_SAFE_INTEGER;
