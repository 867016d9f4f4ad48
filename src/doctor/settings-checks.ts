import { isLoopback } from '../lib/loopback.js';
import { toolDefaults } from '../config/defaults.js';
import type { Config } from '../config/schema.js';
import type { ToolStatus } from '../core/gateway.js';
import type { TierReport, TierState } from '../processes/sandbox/tiers.js';

/** One line of the deployment check list. */
export interface Check {
  readonly name: string;
  readonly result: 'pass' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do if it did not pass. */
  readonly fix?: string;
}

const check = (
  name: string,
  good: boolean,
  detail: string,
  otherwise: 'warn' | 'fail' = 'warn',
  fix?: string,
): Check => ({
  name,
  result: good ? 'pass' : otherwise,
  detail,
  ...(!good && fix !== undefined && { fix }),
});

const tier = (name: string, state: TierState, otherwise: 'warn' | 'fail'): Check =>
  check(
    name,
    state.available,
    state.available ? 'works' : (state.reason ?? 'not available'),
    otherwise,
    'see the guide docs/guides/sandbox.md',
  );

/** Deployment checklist for an operator. */
export function settingsChecks(config: Config, tiers: TierReport, statuses: readonly ToolStatus[]): readonly Check[] {
  const { server, auth, security, tool, rate_limit: rate, audit, log, circuit_breaker: breaker } = config;
  const limits = { ...toolDefaults, ...tool };
  const missing = statuses.filter((status) => status.tool.unavailable !== undefined);
  return [
    tier('sandbox: bwrap', tiers.bwrap, 'warn'),
    tier('sandbox: guarded profile', tiers.guarded, 'warn'),
    tier('sandbox: bwrap, no network', tiers.bwrapNoNetwork, 'warn'),
    tier('sandbox: prlimit', tiers.prlimit, 'fail'),
    check(
      'sandbox: never weaker',
      !security.best_effort_sandbox,
      security.best_effort_sandbox
        ? 'best_effort_sandbox allows tools to run without their limits'
        : 'a tool whose sandbox is not available is refused',
      'fail',
      'remove security.best_effort_sandbox',
    ),
    check(
      'intrusive tools off',
      !security.allow_intrusive,
      `security.allow_intrusive is ${security.allow_intrusive}`,
      'warn',
      'remove security.allow_intrusive unless these tools are needed',
    ),
    check(
      'memory limit',
      limits.max_memory_mb <= 512,
      `${limits.max_memory_mb} MiB a process`,
      'warn',
      'set tool.max_memory_mb to 512 or less',
    ),
    check(
      'time limit',
      limits.default_timeout <= 300,
      `${limits.default_timeout} s by default`,
      'warn',
      'set tool.default_timeout to 300 or less',
    ),
    check(
      'file descriptors',
      limits.max_file_descriptors <= 1024,
      `${limits.max_file_descriptors} a process`,
      'warn',
      'set tool.max_file_descriptors to 1024 or less',
    ),
    check(
      'listener',
      isLoopback(server.host) || auth.required,
      `${server.host}:${server.port}${auth.required ? ', token required' : ''}`,
      'fail',
      'set auth.required: true, or bind to 127.0.0.1',
    ),
    check(
      'firewall',
      isLoopback(server.host),
      isLoopback(server.host) ? 'loopback only' : 'reachable from outside: put a firewall or a TLS proxy in front',
    ),
    check(
      'rate limit',
      (rate.requests ?? 10) > 0 && (rate.requests ?? 10) <= 600,
      rate.requests === undefined
        ? '10 calls a minute of commands and 600 of other tools, for each caller and tool'
        : `${rate.requests} calls a minute for each caller and tool`,
      'warn',
      'set rate_limit.requests between 1 and 600',
    ),
    check(
      'breaker',
      breaker.failure_threshold <= 10,
      `opens after ${breaker.failure_threshold} failures, recovers after ${breaker.recovery_timeout} s; alert on mcp_circuit_breaker_state`,
      'warn',
      'set circuit_breaker.failure_threshold to 10 or less',
    ),
    check(
      'audit',
      audit.on_failure === 'refuse',
      audit.on_failure === 'refuse' ? 'a call that cannot be recorded is refused' : 'calls go on without a record',
      'warn',
      'set audit.on_failure: refuse',
    ),
    check(
      'logs',
      log.format === 'json',
      `${log.format} on stderr; collect them centrally`,
      'warn',
      'set log.format: json',
    ),
    check('metrics', true, server.open_metrics ? 'GET /metrics is open' : 'GET /metrics needs the token'),
    check(
      'shutdown grace',
      server.shutdown_grace_period >= 5,
      `${server.shutdown_grace_period} s; give the container at least that much`,
    ),
    check('flags audited', true, `${statuses.length} tools, every flag of each is declared`),
    ...missing.map((status) =>
      check(`tool: ${status.tool.name}`, false, status.tool.unavailable?.message ?? 'not ready'),
    ),
  ];
}
