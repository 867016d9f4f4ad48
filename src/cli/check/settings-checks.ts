import { isLoopback } from '../../lib/loopback.js';
import type { Config } from '../../config/schema.js';
import type { ToolStatus } from '../../core/gateway.js';
import type { TierReport, TierState } from '../../processes/tiers.js';

/** One line of the deployment check list. */
export interface Check {
  readonly name: string;
  readonly result: 'pass' | 'warn' | 'fail';
  readonly detail: string;
}

const check = (name: string, good: boolean, detail: string, otherwise: 'warn' | 'fail' = 'warn'): Check => ({
  name,
  result: good ? 'pass' : otherwise,
  detail,
});

const tier = (name: string, state: TierState, otherwise: 'warn' | 'fail'): Check =>
  check(name, state.available, state.available ? 'works' : (state.reason ?? 'not available'), otherwise);

/** Deployment checklist for an operator. */
export function settingsChecks(config: Config, tiers: TierReport, statuses: readonly ToolStatus[]): readonly Check[] {
  const { server, auth, security, tool, rate_limit: rate, audit, log, circuit_breaker: breaker } = config;
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
    ),
    check('intrusive tools off', !security.allow_intrusive, `security.allow_intrusive is ${security.allow_intrusive}`),
    check('memory limit', tool.max_memory_mb <= 512, `${tool.max_memory_mb} MiB a process`),
    check('time limit', tool.default_timeout <= 300, `${tool.default_timeout} s by default`),
    check('file descriptors', tool.max_file_descriptors <= 1024, `${tool.max_file_descriptors} a process`),
    check(
      'listener',
      isLoopback(server.host) || auth.required,
      `${server.host}:${server.port}${auth.required ? ', token required' : ''}`,
      'fail',
    ),
    check(
      'firewall',
      isLoopback(server.host),
      isLoopback(server.host) ? 'loopback only' : 'reachable from outside: put a firewall or a TLS proxy in front',
    ),
    check(
      'rate limit',
      rate.requests > 0 && rate.requests <= 600,
      `${rate.requests} calls a minute for each caller and tool`,
    ),
    check(
      'breaker',
      breaker.failure_threshold <= 10,
      `opens after ${breaker.failure_threshold} failures, recovers after ${breaker.recovery_timeout} s; alert on mcp_circuit_breaker_state`,
    ),
    check(
      'audit',
      audit.on_failure === 'refuse',
      audit.on_failure === 'refuse' ? 'a call that cannot be recorded is refused' : 'calls go on without a record',
    ),
    check('logs', log.format === 'json', `${log.format} on stderr; collect them centrally`),
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
