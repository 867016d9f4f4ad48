import type { Config } from '../config/schema.js';
import type { Json } from '../core/json.js';
import type { Guard } from '../core/guard.js';
import type { Outcome } from '../core/outcome.js';
import type { Handler, Tool } from '../core/tool.js';
import { allowance } from '../guards/allowance.js';
import { audit } from '../guards/audit.js';
import { authorize } from '../guards/authorize.js';
import type { Breakers } from '../guards/breaker.js';
import { breakers } from '../guards/breaker.js';
import type { CallLog } from '../guards/call-log.js';
import { callLog } from '../guards/call-log.js';
import type { CallApprovals } from '../guards/confirm.js';
import { confirm } from '../guards/confirm.js';
import { contain } from '../guards/contain.js';
import { flow } from '../guards/flow.js';
import { metrics as metricsGuard } from '../guards/metrics.js';
import { guardList, pipeline } from '../guards/pipeline.js';
import { rateLimit } from '../guards/rate-limit.js';
import type { OutputRules } from '../guards/sanitize.js';
import { sanitize } from '../guards/sanitize.js';
import { tracing } from '../guards/trace.js';
import type { Redactor } from '../hostile-text/redact.js';
import type { TokenBucket } from '../lib/token-bucket.js';
import { tokenBucket } from '../lib/token-bucket.js';
import type { AuditLog } from '../observe/audit-log.js';
import { callLines } from '../observe/call-lines.js';
import type { EventBus } from '../observe/events.js';
import type { Log } from '../observe/log.js';
import type { Metrics } from '../observe/metrics.js';
import type { Rules } from './access.js';
import type { InFlight } from './in-flight.js';
import { inFlightCalls } from './in-flight.js';

/** State of the guards that survives reloads: open circuits, spent tokens and running calls must not be reset by one. */
export interface CarriedGuards {
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly lines: CallLog;
  readonly trace: Guard;
  readonly breakers: Breakers;
  readonly bucket: TokenBucket;
  readonly inFlight: InFlight;
  /** Guards of the embedding program. */
  readonly extensions: readonly Guard[];
}

export interface CarriedGuardsOptions {
  readonly config: () => Config;
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly events: EventBus;
  readonly extensions: readonly Guard[];
}

export async function carriedGuards(options: CarriedGuardsOptions): Promise<CarriedGuards> {
  const { config, journal, metrics, log, events, extensions } = options;
  return {
    extensions,
    journal,
    metrics,
    log,
    lines: callLines(log, events),
    trace: await tracing(),
    inFlight: inFlightCalls(),
    bucket: tokenBucket({
      maxKeys: () => config().rate_limit.max_keys,
      onSweep: (removed) => log.event('rate_limiter.cleanup', { removed }),
    }),
    breakers: breakers({
      settings: (tool) => circuitSettings(config(), tool),
      onChange(tool, from, to) {
        log.event('circuit_breaker.state_changed', { tool, old: from, new: to });
        metrics.breakerChanged(tool, to);
        events.publish('breaker', { tool, old: from, new: to });
      },
    }),
  };
}

/** What the guards of one runtime are made of. */
export interface GuardParts {
  readonly config: Config;
  readonly rules: Rules;
  readonly output: OutputRules;
  readonly secrets: Redactor;
  readonly approvals: CallApprovals;
  readonly carried: CarriedGuards;
}

/** Wires the guards of one configuration; guards/pipeline.ts defines their order. */
export function guardsOf({ config, rules, output, secrets, approvals, carried }: GuardParts): (tool: Tool) => Handler {
  const { journal, metrics, log, lines, trace, breakers: circuits, bucket, inFlight } = carried;
  const { burst } = config.rate_limit;
  const guarded = pipeline({
    audit: audit({
      log: journal,
      faults: log,
      onFailure: config.audit.on_failure,
      ...(config.audit.keep_arguments && { redact: (args) => secrets.value(args) as Json }),
    }),
    metrics: metricsGuard({ sink: metrics }),
    trace,
    callLog: callLog({ sink: lines }),
    contain: contain({ faults: log }),
    authorize: authorize({ authorizer: rules.control }),
    extensions: guardList(carried.extensions),
    rateLimit: rateLimit({ bucket, ...(burst !== undefined && { burst }) }),
    allowance: allowance({ allowances: rules.allowances }),
    confirm: confirm({ policy: rules.control, approvals }),
    flow: flow({
      record: {
        enter(call, tool) {
          const entry = rules.flows.enter(call, tool);
          return (outcome) => entry.leave(!isUnreached(outcome), injectionLabels(outcome));
        },
      },
    }),
    breaker: circuits.guard,
    sanitize: sanitize(
      () => output,
      (call, tool) => rules.flows.note(call, tool, [instructionsLabel]),
    ),
  });
  return (tool) => inFlight.counted(tool, guarded(tool));
}

/** Whether a guard refused the call before the tool was reached. */
const isUnreached = (outcome: Outcome | undefined): boolean =>
  outcome?.kind === 'failed' && outcome.notStarted === true;

const instructionsLabel = 'untrusted:instructions';

/** Labels derived from a result: after instructions to the model, later calls of the conversation are suspect. */
const injectionLabels = (outcome: Outcome | undefined): readonly string[] =>
  outcome !== undefined && outcome.kind !== 'confirm' && outcome.meta?.['toolgate/injection'] !== undefined
    ? [instructionsLabel]
    : [];

function circuitSettings({ circuit_breaker: all, tool: { overrides } }: Config, { name }: Tool) {
  const own = Object.hasOwn(overrides, name) ? overrides[name]?.breaker : undefined;
  return {
    failures: own?.failure_threshold ?? all.failure_threshold,
    cooldownMs: (own?.recovery_timeout ?? all.recovery_timeout) * 1000,
    backoff: all.backoff_factor,
    maxCooldownMs: all.max_recovery_timeout * 1000,
    jitter: all.jitter,
  };
}
