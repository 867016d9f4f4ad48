import { defaultLimits, type Limits } from '../../core/tool.js';
import type { ProcessLimits } from '../../processes/process-spec.js';
import type { Manifest } from './manifest/manifest.js';

/** Default limits of commands. */
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

/** Operator settings for one tool; numbers outside the tool's range are clamped and reported. */
export interface ToolSettings {
  readonly policy?: string;
  readonly timeoutSec?: number;
  readonly maxTimeoutSec?: number;
  readonly concurrency?: number;
  readonly ratePerMinute?: number;
  readonly maxStdoutBytes?: number;
  readonly memoryBytes?: number;
}

/** A setting that was out of range and clamped. */
export interface Clamp {
  readonly param: string;
  readonly given: number;
  readonly used: number;
  readonly range: readonly [number, number];
}

/** Effective limits of one tool, for the guards and the process. */
export interface ResolvedLimits {
  readonly limits: Limits;
  readonly process: ProcessLimits;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly onCap: 'kill' | 'drain';
  readonly clamps: readonly Clamp[];
}

/** Resolves limits (operator over manifest over defaults) and clamps them to the manifest's ranges. */
export function resolveLimits(
  name: string,
  manifest: Manifest,
  defaults: CommandDefaults,
  operator: ToolSettings = {},
): ResolvedLimits {
  const { limits, ranges } = manifest;
  const clamps: Clamp[] = [];
  const clamp = (param: string, given: number, range: readonly [number, number]): number => {
    const used = Math.min(Math.max(given, range[0]), range[1]);
    if (used !== given) clamps.push({ param: `${name}.${param}`, given, used, range });
    return used;
  };
  const maxTimeoutMs =
    clamp(
      'max_timeout_sec',
      operator.maxTimeoutSec ?? limits.max_timeout_sec ?? defaults.maxTimeoutMs / 1000,
      [1, 3600],
    ) * 1000;
  const timeoutRange = ranges.timeout_sec ?? [1, 3600];
  const timeoutMs =
    clamp('timeout_sec', operator.timeoutSec ?? limits.timeout_sec ?? defaults.timeoutMs / 1000, [
      timeoutRange[0],
      Math.min(timeoutRange[1], maxTimeoutMs / 1000),
    ]) * 1000;
  const maxStdoutBytes = operator.maxStdoutBytes ?? limits.max_stdout_bytes ?? defaults.maxStdoutBytes;
  const maxStderrBytes = limits.max_stderr_bytes ?? defaults.maxStderrBytes;
  return {
    limits: {
      timeoutMs,
      maxTimeoutMs,
      concurrency: clamp(
        'concurrency',
        operator.concurrency ?? limits.concurrency ?? defaults.concurrency,
        ranges.concurrency ?? [1, 100],
      ),
      queue: limits.queue ?? defaults.queue,
      queueTimeoutMs:
        limits.queue_timeout_sec === undefined ? defaults.queueTimeoutMs : limits.queue_timeout_sec * 1000,
      ratePerMinute: operator.ratePerMinute ?? limits.rate_per_minute ?? defaults.ratePerMinute,
      // Twice the captured output: the parsed data is returned beside the text.
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
