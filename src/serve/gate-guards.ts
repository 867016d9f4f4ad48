import type { Rules } from '../access/configured/rules.js';
import type { Config } from '../config/schema.js';
import type { Guard } from '../core/guard.js';
import type { StageRecorders } from '../core/stage.js';
import { stageRecorders } from '../core/stage.js';
import { listedName, type Handler, type Tool } from '../core/tool.js';
import type { Breakers } from '../guards/breaker.js';
import { breakers } from '../guards/breaker.js';
import type { CallLog } from '../guards/call-log.js';
import type { CallApprovals } from '../guards/confirm.js';
import type { GuardParts } from '../guards/pipeline.js';
import { pipeline } from '../guards/pipeline.js';
import type { OutputRules } from '../guards/sanitize.js';
import { tracing } from '../guards/trace.js';
import type { Redactor } from '../hostile-text/redact.js';
import { sharedLimits } from '../access/limits/shared-limits.js';
import type { Counters } from '../state/counters.js';
import type { TokenBucket } from '../lib/token-bucket.js';
import { tokenBucket } from '../lib/token-bucket.js';
import type { AuditLog } from '../observe/audit/audit-log.js';
import { callLines } from '../observe/log/call-lines.js';
import type { EventBus } from '../observe/events.js';
import type { Log } from '../observe/log/log.js';
import type { Metrics } from '../observe/metrics/metrics.js';
import type { InFlight } from '../registry/in-flight.js';
import { inFlightCalls } from '../registry/in-flight.js';

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
  /** Limits over several replicas. */
  readonly counters: Counters | undefined;
  /** Guards of the embedding program. */
  readonly extensions: readonly Guard[];
  /** Observers of calls on their way through the guards. */
  readonly stages: StageRecorders;
}

/** Where the carried parts come from; `config` is read at each use, so that a reload takes effect on them. */
interface CarriedGuardsOptions {
  readonly config: () => Config;
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly events: EventBus;
  readonly extensions: readonly Guard[];
  readonly counters?: Counters | undefined;
}

/** Builds the state of the guards once per process. */
export async function carriedGuards(options: CarriedGuardsOptions): Promise<CarriedGuards> {
  const { config, journal, metrics, log, events, extensions } = options;
  return {
    extensions,
    counters: options.counters,
    journal,
    metrics,
    log,
    // One observer writes the log lines and the events, so that both describe a call in the same words.
    lines: callLines(log, events),
    trace: await tracing(),
    inFlight: inFlightCalls(),
    stages: stageRecorders(),
    bucket: tokenBucket({
      // A function: the bound may change with a reload, while the bucket and its tokens stay.
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

/** What the guards of one runtime are made of, besides what is carried over. */
interface RuntimeParts {
  readonly config: Config;
  readonly rules: Rules;
  readonly output: OutputRules;
  readonly secrets: Redactor;
  readonly approvals: CallApprovals;
  readonly carried: CarriedGuards;
}

/** Hands every guard its parts, by name; guards/pipeline.ts defines the order. A part that is missing here does not compile. */
export function guardsOf({
  config,
  rules,
  output,
  secrets,
  approvals,
  carried,
}: RuntimeParts): (tool: Tool) => Handler {
  // Renamed where the plain word would shadow the constructor of the same name.
  const { journal, metrics, log, lines, trace, breakers: circuits, bucket, inFlight, extensions, stages } = carried;
  // In a cluster the counters are shared, or each replica would grant the whole limit.
  const limits = carried.counters && sharedLimits(carried.counters, rules.allowances);
  const parts: Required<GuardParts> = {
    config,
    journal,
    faults: log,
    secrets,
    metrics,
    trace,
    lines,
    bucket,
    rates: limits?.rates,
    authorizer: rules.control,
    extensions,
    allowances: limits?.allowances ?? rules.allowances,
    approvalPolicy: rules.control,
    approvals,
    flows: rules.flows,
    breakers: circuits,
    output,
  };
  // The order is fixed in one place; here only the parts are handed over.
  const guarded = pipeline(parts, stages);
  return (tool) => inFlight.counted(tool, guarded(tool));
}

/** Circuit settings of one tool: the operator's override, else what the source declares, else the general ones. */
function circuitSettings({ circuit_breaker: all, tool: { overrides } }: Config, tool: Tool) {
  const { breaker: declared } = tool;
  const name = listedName(tool);
  // Object.hasOwn: tool names come from sources and may be `constructor`.
  const own = Object.hasOwn(overrides, name) ? overrides[name]?.breaker : undefined;
  return {
    failures: own?.failure_threshold ?? declared?.failures ?? all.failure_threshold,
    cooldownMs:
      own?.recovery_timeout !== undefined
        ? own.recovery_timeout * 1000
        : (declared?.cooldownMs ?? all.recovery_timeout * 1000),
    backoff: all.backoff_factor,
    maxCooldownMs: all.max_recovery_timeout * 1000,
    jitter: all.jitter,
  };
}
