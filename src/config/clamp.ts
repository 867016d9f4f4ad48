import type { Config } from './schema.js';
import type { Clamp } from './problem.js';

/** Bytes of a mebibyte. */
const MiB = 1_048_576;

/** Range of every number in the configuration by key; `*` matches any name, and an exact name takes precedence. */
export const ranges: Readonly<Record<string, readonly [number, number]>> = {
  'server.max_body_bytes': [1024, 64 * MiB],
  'server.max_inflight_body_bytes': [MiB, 4096 * MiB],
  'server.peer_rate_per_second': [0, 100_000],
  'server.shutdown_grace_period': [0, 300],
  'server.drain_delay': [0, 300],
  'server.max_sessions': [1, 100_000],
  'server.session_idle_seconds': [10, 86_400],
  'server.background.idle_seconds': [1, 604_800],
  'policy.confirmation.ttl_seconds': [10, 3600],
  'policy.confirmation.webhook.attempts': [1, 10],
  'cluster.max_stale_seconds': [0, 86_400],
  'policy.confirmation.ticket_seconds': [10, 86_400],
  'policy.confirmation.wait_seconds': [0, 600],
  'flows.remember_seconds': [60, 604_800],
  'flows.max_conversations': [100, 1_000_000],
  'output.keep_seconds': [1, 86_400],
  'tool.default_timeout': [1, 3600],
  'tool.default_concurrency': [1, 100],
  'tool.queue_length': [0, 10_000],
  'tool.queue_timeout': [0, 3600],
  'tool.max_args_length': [1, 10_240],
  'tool.max_stdout_bytes': [1024, 10 * MiB],
  'tool.max_stderr_bytes': [1024, 10 * MiB],
  'tool.max_memory_mb': [16, 65_536],
  'tool.max_file_descriptors': [16, 65_536],
  'tool.overrides.*.timeout': [1, 3600],
  'tool.overrides.nmap.timeout': [60, 3600],
  'tool.overrides.*.max_timeout': [1, 3600],
  'tool.overrides.*.concurrency': [1, 100],
  'tool.overrides.nmap.concurrency': [1, 5],
  'tool.overrides.*.rate': [0, 10_000_000],
  'tool.overrides.*.breaker.failure_threshold': [1, 10],
  'tool.overrides.*.breaker.recovery_timeout': [30, 600],
  'tool.overrides.*.max_stdout_bytes': [1024, 10 * MiB],
  'tool.overrides.*.max_stderr_bytes': [1024, 10 * MiB],
  'tool.overrides.*.max_memory_mb': [16, 65_536],
  'tool.overrides.*.max_file_descriptors': [16, 65_536],
  'circuit_breaker.failure_threshold': [1, 10],
  'circuit_breaker.recovery_timeout': [30, 600],
  'circuit_breaker.backoff_factor': [1, 10],
  'circuit_breaker.max_recovery_timeout': [30, 3600],
  'circuit_breaker.jitter': [0, 0.5],
  'rate_limit.requests': [0, 10_000_000],
  'rate_limit.burst': [1, 10_000_000],
  'rate_limit.max_keys': [100, 1_000_000],
  'outbound.max_response_bytes': [1024, 1024 * MiB],
  'outbound.retries': [1, 10],
  'outbound.timeout': [1, 300],
  'outbound.circuit_breaker.failure_threshold': [1, 100],
  'outbound.circuit_breaker.recovery_timeout': [1, 600],
  'secrets.timeout': [0.1, 120],
  'audit.max_file_bytes': [MiB, 1024 * MiB],
};

/** Range of one key, if it has one. */
export function rangeOf(path: readonly string[]): readonly [number, number] | undefined {
  const exact = ranges[path.join('.')];
  // Only overrides have a wildcard; an exact range, such as that of nmap, takes precedence.
  if (exact !== undefined || path[0] !== 'tool' || path[1] !== 'overrides') return exact;
  // The third part is the name of the tool, which the table replaces by `*`.
  return ranges[['tool', 'overrides', '*', ...path.slice(3)].join('.')];
}

/** Clamps every number to its range, with a note for each changed one. */
export function clampNumbers(config: Config): { readonly config: Config; readonly notes: readonly Clamp[] } {
  const notes: Clamp[] = [];
  // Visits a copy level by level, so that the loaded configuration stays unchanged.
  const visit = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'number') {
      const range = rangeOf(path);
      if (range === undefined) return value;
      // Clamped rather than rejected, so that one number out of range does not prevent the start.
      const used = Math.min(Math.max(value, range[0]), range[1]);
      if (used !== value) notes.push({ event: 'config.clamped', param: path.join('.'), given: value, used, range });
      return used;
    }
    // Only plain objects contain numbers with a range; lists and secrets are skipped.
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]));
  };
  // `visit` preserves keys and value types, so the shape is unchanged.
  return { config: visit(config, []) as Config, notes };
}
