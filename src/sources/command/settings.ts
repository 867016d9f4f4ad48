import { defaultLimits, type Limits } from '../../core/tool.js';
import type { ProcessLimits } from '../../processes/spec.js';
import type { Manifest } from './manifest.js';

/** What a command gets unless its manifest or the operator says otherwise. */
export interface CommandDefaults {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly concurrency: number;
  readonly queue: number;
  readonly queueTimeoutMs: number;
  readonly ratePerMinute: number;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly memoryBytes: number;
  readonly openFiles: number;
  readonly fileBytes: number;
  readonly onOutputLimit: 'kill' | 'drain';
  readonly maxArgsLength: number;
}

export const commandDefaults: CommandDefaults = {
  timeoutMs: 300_000,
  maxTimeoutMs: 3_600_000,
  concurrency: 2,
  queue: defaultLimits.queue,
  queueTimeoutMs: defaultLimits.queueTimeoutMs,
  ratePerMinute: defaultLimits.ratePerMinute,
  maxStdoutBytes: 1_048_576,
  maxStderrBytes: 262_144,
  memoryBytes: 512 * 1024 * 1024,
  openFiles: 256,
  fileBytes: 1_048_576,
  onOutputLimit: 'kill',
  maxArgsLength: 2048,
};

/** What an operator may set for one tool; numbers outside what the tool allows are clamped and said so. */
export interface ToolSettings {
  readonly policy?: string;
  readonly timeoutSec?: number;
  readonly maxTimeoutSec?: number;
  readonly concurrency?: number;
  readonly ratePerMinute?: number;
  readonly maxStdoutBytes?: number;
  readonly memoryBytes?: number;
}

/** One number that was out of range. */
export interface Clamp {
  readonly param: string;
  readonly given: number;
  readonly used: number;
  readonly range: readonly [number, number];
}

/** Limits of one tool, ready for the guards and for the process. */
export interface Settled {
  readonly limits: Limits;
  readonly process: ProcessLimits;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly onCap: 'kill' | 'drain';
  readonly clamps: readonly Clamp[];
}

/** The limits that hold for one tool: operator over manifest over defaults, within the ranges of the manifest. */
export function settled(
  name: string,
  manifest: Manifest,
  defaults: CommandDefaults,
  operator: ToolSettings = {},
): Settled {
  const { limits, ranges } = manifest;
  const clamps: Clamp[] = [];
  const clamped = (param: string, given: number, range: readonly [number, number]): number => {
    const used = Math.min(Math.max(given, range[0]), range[1]);
    if (used !== given) clamps.push({ param: `${name}.${param}`, given, used, range });
    return used;
  };
  const maxTimeoutMs =
    clamped(
      'max_timeout_sec',
      operator.maxTimeoutSec ?? limits.max_timeout_sec ?? defaults.maxTimeoutMs / 1000,
      [1, 3600],
    ) * 1000;
  const timeoutRange = ranges.timeout_sec ?? [1, 3600];
  const timeoutMs =
    clamped('timeout_sec', operator.timeoutSec ?? limits.timeout_sec ?? defaults.timeoutMs / 1000, [
      timeoutRange[0],
      Math.min(timeoutRange[1], maxTimeoutMs / 1000),
    ]) * 1000;
  const maxStdoutBytes = operator.maxStdoutBytes ?? limits.max_stdout_bytes ?? defaults.maxStdoutBytes;
  const maxStderrBytes = limits.max_stderr_bytes ?? defaults.maxStderrBytes;
  return {
    limits: {
      timeoutMs,
      maxTimeoutMs,
      concurrency: clamped(
        'concurrency',
        operator.concurrency ?? limits.concurrency ?? defaults.concurrency,
        ranges.concurrency ?? [1, 100],
      ),
      queue: limits.queue ?? defaults.queue,
      queueTimeoutMs:
        limits.queue_timeout_sec === undefined ? defaults.queueTimeoutMs : limits.queue_timeout_sec * 1000,
      ratePerMinute: operator.ratePerMinute ?? limits.rate_per_minute ?? defaults.ratePerMinute,
      // Room for the parsed form beside the text it was made of.
      maxOutputBytes: 2 * (maxStdoutBytes + maxStderrBytes),
    },
    process: {
      memoryBytes:
        operator.memoryBytes ??
        (limits.memory_mb === undefined ? defaults.memoryBytes : limits.memory_mb * 1024 * 1024),
      openFiles: limits.file_descriptors ?? defaults.openFiles,
      fileBytes: limits.file_bytes ?? defaults.fileBytes,
      ...(limits.processes !== undefined && { processes: limits.processes }),
    },
    maxStdoutBytes,
    maxStderrBytes,
    onCap: limits.on_output_limit ?? defaults.onOutputLimit,
    clamps,
  };
}
