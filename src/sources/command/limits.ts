import { settleLimits, type LimitClamp } from '../../core/limits.js';
import { defaultLimits, type DeclaredLimits, type Limits } from '../../core/tool.js';
import type { ProcessLimits } from '../../processes/process-spec.js';
import type { CommandDefinition } from './definition.js';

/** Default limits of commands. */
export interface CommandDefaults extends Omit<Limits, 'maxOutputBytes'> {
  readonly maxStdoutBytes: number;
  readonly maxStderrBytes: number;
  readonly memoryBytes: number;
  readonly openFiles: number;
  readonly fileBytes: number;
  readonly onOutputLimit: 'kill' | 'drain';
  readonly maxArgsLength: number;
}

/** Limits of commands that declare none. */
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

/** Defaults that the operator has set; they take precedence over the declarations of the built-in pack. */
export type StatedDefaults = Partial<Pick<CommandDefaults, 'timeoutMs' | 'concurrency'>>;

/** Upper limits that the operator has set; no declaration exceeds them, only a setting for one tool. */
export type Ceilings = Partial<
  Pick<CommandDefaults, 'maxStdoutBytes' | 'maxStderrBytes' | 'memoryBytes' | 'openFiles'>
>;

/** Operator settings for one tool; numbers outside the tool's range are clamped and reported. */
export interface ToolSettings {
  readonly policy?: string;
  readonly timeoutSec?: number;
  readonly maxTimeoutSec?: number;
  readonly concurrency?: number;
  readonly ratePerMinute?: number;
  readonly maxStdoutBytes?: number;
  readonly maxStderrBytes?: number;
  readonly memoryBytes?: number;
  readonly openFiles?: number;
}

/** A setting that was out of range and clamped. */
interface Clamp {
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
const applied = ['policy', 'max_stdout_bytes', 'max_stderr_bytes', 'max_memory_mb', 'max_file_descriptors'] as const;

/** What the operator configures for commands. */
interface OperatorSettings {
  readonly defaults: CommandDefaults;
  readonly stated?: StatedDefaults;
  readonly ceilings?: Ceilings;
  /** Settings for this tool alone. */
  readonly tool?: ToolSettings;
}

/** Resolves limits (operator over manifest over defaults, below the ceilings) and clamps them to the manifest's ranges. */
export function resolveLimits(
  { name, manifest, isBuiltin = false }: CommandDefinition,
  { defaults, stated = {}, ceilings = {}, tool: operator = {} }: OperatorSettings,
): ResolvedLimits {
  const { limits, ranges } = manifest;
  // A setting for this very tool overrides both; otherwise the smaller of declaration and ceiling holds.
  const bounded = (key: keyof Ceilings, declared: number | undefined): number =>
    operator[key] ?? Math.min(declared ?? defaults[key], ceilings[key] ?? Infinity);
  const maxStdoutBytes = bounded('maxStdoutBytes', limits.max_stdout_bytes);
  const maxStderrBytes = bounded('maxStderrBytes', limits.max_stderr_bytes);
  // An hour is the longest time that any door waits for a call.
  const longestSec = Math.min(operator.maxTimeoutSec ?? limits.max_timeout_sec ?? defaults.maxTimeoutMs / 1000, 3600);
  const [shortest, longest] = ranges.timeout_sec ?? [1, 3600];
  const declares: DeclaredLimits = {
    limits: {
      ...(limits.timeout_sec !== undefined && { timeoutMs: limits.timeout_sec * 1000 }),
      ...(limits.max_timeout_sec !== undefined && { maxTimeoutMs: limits.max_timeout_sec * 1000 }),
      ...(limits.concurrency !== undefined && { concurrency: limits.concurrency }),
      ...(limits.queue !== undefined && { queue: limits.queue }),
      ...(limits.queue_timeout_sec !== undefined && { queueTimeoutMs: limits.queue_timeout_sec * 1000 }),
      // Declared in any case: the default of commands is lower than that of other tools.
      ratePerMinute: limits.rate_per_minute ?? defaults.ratePerMinute,
      // Twice the captured output: the parsed data is returned beside the text.
      maxOutputBytes: 2 * (maxStdoutBytes + maxStderrBytes),
    },
    ranges: {
      maxTimeoutMs: [1000, 3_600_000],
      timeoutMs: [shortest * 1000, Math.min(longest, longestSec) * 1000],
      concurrency: ranges.concurrency ?? [1, 100],
    },
    applies: applied,
    yields: isBuiltin,
  };
  // The same function settles limits of all sources, so that precedence is defined once.
  const settled = settleLimits(declares, {
    defaults: { ...defaults, ...stated },
    stated,
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
      memoryBytes: bounded('memoryBytes', limits.memory_mb === undefined ? undefined : limits.memory_mb * 1024 * 1024),
      openFiles: bounded('openFiles', limits.file_descriptors),
      fileBytes: limits.file_bytes ?? defaults.fileBytes,
      ...(limits.processes !== undefined && { processes: limits.processes }),
    },
    maxStdoutBytes,
    maxStderrBytes,
    onCap: limits.on_output_limit ?? defaults.onOutputLimit,
    clamps: settled.clamps.map((clamp) => toClamp(name, clamp)),
  };
}

// Guards count in milliseconds, manifests in seconds; messages use the unit that the author wrote.
/** A clamp by the name and in the unit of the manifest. */
function toClamp(name: string, { limit, given, used, range: [low, high] }: LimitClamp): Clamp {
  const [param, unit] =
    limit === 'timeoutMs' ? ['timeout_sec', 1000] : limit === 'maxTimeoutMs' ? ['max_timeout_sec', 1000] : [limit, 1];
  return { param: `${name}.${param}`, given: given / unit, used: used / unit, range: [low / unit, high / unit] };
}
