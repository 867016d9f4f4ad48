import type { Config } from '../config/schema.js';
import type { Json } from '../core/json.js';
import type { Outcome } from '../core/outcome.js';
import type { Handler, Tool } from '../core/tool.js';
import { allowance } from '../guards/allowance.js';
import type { AuditLog } from '../guards/audit.js';
import { audit } from '../guards/audit.js';
import { authorize } from '../guards/authorize.js';
import type { Breakers } from '../guards/breaker.js';
import { breakers } from '../guards/breaker.js';
import { callLog } from '../guards/call-log.js';
import type { CallApprovals } from '../guards/confirm.js';
import { confirm } from '../guards/confirm.js';
import { contain } from '../guards/contain.js';
import { flow } from '../guards/flow.js';
import { metrics as metricsGuard } from '../guards/metrics.js';
import { pipeline } from '../guards/pipeline.js';
import { rateLimit } from '../guards/rate-limit.js';
import { sanitize } from '../guards/sanitize.js';
import { tracing } from '../guards/trace.js';
import type { Redactor } from '../hostile-text/redact.js';
import { tokenBucket } from '../lib/token-bucket.js';
import type { EventBus } from '../observe/events.js';
import type { Log } from '../observe/log.js';
import type { Metrics } from '../observe/metrics.js';
import { callLines } from '../observe/call-lines.js';
import type { ActiveConfig } from './active-config.js';

export interface GateGuardsOptions {
  readonly active: ActiveConfig;
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly events: EventBus;
  readonly approvals: CallApprovals;
  readonly hideSecrets: Redactor;
}

/** Wires the guards to their dependencies; guards/pipeline.ts defines their order. */
export async function gateGuards(
  options: GateGuardsOptions,
): Promise<{ readonly wire: (tool: Tool) => Handler; readonly breakers: Breakers }> {
  const { active, journal, metrics, log, events, approvals, hideSecrets } = options;
  const config = active.config();
  const all = breakers({
    settings: (tool) => breakerSettings(active.config(), tool),
    circuit: {
      backoff: config.circuit_breaker.backoff_factor,
      maxCooldownMs: config.circuit_breaker.max_recovery_timeout * 1000,
      jitter: config.circuit_breaker.jitter,
    },
    onChange(tool, from, to) {
      log.event('circuit_breaker.state_changed', { tool, old: from, new: to });
      metrics.breakerChanged(tool, to);
      events.publish('breaker', { tool, old: from, new: to });
    },
  });
  const wire = pipeline({
    audit: audit({
      log: journal,
      onFailure: config.audit.on_failure,
      ...(config.audit.keep_arguments && { redact: (args) => hideSecrets.value(args) as Json }),
    }),
    metrics: metricsGuard({ sink: metrics }),
    trace: await tracing(),
    callLog: callLog({ sink: callLines(log, events) }),
    contain: contain({ faults: log }),
    authorize: authorize({ authorizer: { decide: (call, tool) => active.rules().control.decide(call, tool) } }),
    rateLimit: rateLimit({
      bucket: tokenBucket({
        maxKeys: config.rate_limit.max_keys,
        onSweep: (removed) => log.event('rate_limiter.cleanup', { removed }),
      }),
    }),
    allowance: allowance({ allowances: { take: (call, tool) => active.rules().allowances.take(call, tool) } }),
    confirm: confirm({
      policy: { requirement: (call, tool) => active.rules().control.requirement(call, tool) },
      approvals,
    }),
    flow: flow({
      record: {
        enter(call, tool) {
          const entry = active.rules().flows.enter(call, tool);
          return (outcome) => entry.leave(!isUnreached(outcome), injectionLabels(outcome));
        },
      },
    }),
    breaker: all.guard,
    sanitize: sanitize(active.output),
  });
  return { wire, breakers: all };
}

/** Whether a guard refused the call before the tool was reached. */
const isUnreached = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'failed' && outcome.notStarted === true;

/** Labels derived from a result: after instructions to the model, later calls of the conversation are suspect. */
const injectionLabels = (outcome: Outcome | undefined): readonly string[] =>
  outcome !== undefined && outcome.kind !== 'confirm' && outcome.meta?.['toolgate/injection'] !== undefined
    ? ['untrusted:instructions']
    : [];

function breakerSettings(config: Config, tool: Tool): { readonly failures: number; readonly cooldownMs: number } {
  const own = config.tool.overrides[tool.name]?.breaker;
  return {
    failures: own?.failure_threshold ?? config.circuit_breaker.failure_threshold,
    cooldownMs: (own?.recovery_timeout ?? config.circuit_breaker.recovery_timeout) * 1000,
  };
}
