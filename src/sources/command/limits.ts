import { settleLimits, type LimitClamp } from '../../core/limits.js';
import { defaultLimits, type DeclaredLimits, type Limits } from '../../core/tool.js';
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
  readonly declares: DeclaredLimits;
  readonly limits: Limits;
  readonly process: ProcessLimits;
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly onCap: 'kill' | 'drain';
  readonly clamps: readonly Clamp[];
}

/** Settings of a tool that its source applies; all others are limits of the guards. */
const applied = ['policy', 'max_stdout_bytes', 'max_memory_mb'] as const;

/** Resolves limits (operator over manifest over defaults) and clamps them to the manifest's ranges. */
export function resolveLimits(
  name: string,
  manifest: Manifest,
  defaults: CommandDefaults,
  operator: ToolSettings = {},
): ResolvedLimits {
  const { limits, ranges } = manifest;
  const maxStdoutBytes = operator.maxStdoutBytes ?? limits.max_stdout_bytes ?? defaults.maxStdoutBytes;
  const maxStderrBytes = limits.max_stderr_bytes ?? defaults.maxStderrBytes;
  const longestSec = Math.min(operator.maxTimeoutSec ?? limits.max_timeout_sec ?? defaults.maxTimeoutMs / 1000, 3600);
  const [shortest, longest] = ranges.timeout_sec ?? [1, 3600];
  const declares: DeclaredLimits = {
    limits: {
      ...(limits.timeout_sec !== undefined && { timeoutMs: limits.timeout_sec * 1000 }),
      ...(limits.max_timeout_sec !== undefined && { maxTimeoutMs: limits.max_timeout_sec * 1000 }),
      ...(limits.concurrency !== undefined && { concurrency: limits.concurrency }),
      ...(limits.queue !== undefined && { queue: limits.queue }),
      ...(limits.queue_timeout_sec !== undefined && { queueTimeoutMs: limits.queue_timeout_sec * 1000 }),
      ...(limits.rate_per_minute !== undefined && { ratePerMinute: limits.rate_per_minute }),
      // Twice the captured output: the parsed data is returned beside the text.
      maxOutputBytes: 2 * (maxStdoutBytes + maxStderrBytes),
    },
    ranges: {
      maxTimeoutMs: [1000, 3_600_000],
      timeoutMs: [shortest * 1000, Math.min(longest, longestSec) * 1000],
      concurrency: ranges.concurrency ?? [1, 100],
    },
    applies: applied,
  };
  const settled = settleLimits(declares, {
    defaults,
    exceptions: {
      ...(operator.timeoutSec !== undefined && { timeoutMs: operator.timeoutSec * 1000 }),
      ...(operator.maxTimeoutSec !== undefined && { maxTimeoutMs: operator.maxTimeoutSec * 1000 }),
      ...(operator.concurrency !== undefined && { concurrency: operator.concurrency }),
      ...(operator.ratePerMinute !== undefined && { ratePerMinute: operator.ratePerMinute }),
    },
  });
  return {
    declares,
    limits: settled.limits,
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
    clamps: settled.clamps.map((clamp) => toClamp(name, clamp)),
  };
}

/** A clamp by the name and in the unit of the manifest. */
function toClamp(name: string, { limit, given, used, range: [low, high] }: LimitClamp): Clamp {
  const [param, unit] =
    limit === 'timeoutMs' ? ['timeout_sec', 1000] : limit === 'maxTimeoutMs' ? ['max_timeout_sec', 1000] : [limit, 1];
  return { param: `${name}.${param}`, given: given / unit, used: used / unit, range: [low / unit, high / unit] };
}
