import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import type { ToolSource } from '../core/source.js';
import type { AuditLog } from '../observe/audit-log.js';
import type { EventBus } from '../observe/events.js';
import { isLogEvent } from '../observe/log-events.js';
import type { Log } from '../observe/log.js';
import type { Metrics } from '../observe/metrics.js';
import type { Processes } from '../processes/processes.js';
import { originBreakers } from '../sources/http/breakers.js';
import type { TruncatedResults } from '../sources/truncated-results.js';
import { upstreamAdmission } from '../admission/upstream.js';
import type { Home } from './home.js';
import type { PinFiles } from '../admission/pins/pin-files.js';
import type { AdmissionRecord } from '../admission/evidence.js';
import type { SourceKind } from '../sources/kind.js';
import { planSources } from '../sources/plan.js';
import { identity } from '../identity.js';
import { sourceMap } from './source-map.js';
import { version } from '../version.js';

export interface GateSourcesOptions {
  readonly config: () => Config;
  readonly base: string;
  readonly home: Home;
  readonly processes: Processes;
  readonly pins: PinFiles;
  readonly results: TruncatedResults;
  readonly env: NodeJS.ProcessEnv;
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly events: EventBus;
  /** Sources of the embedding program. */
  readonly extensions: readonly ToolSource[];
  readonly kinds: readonly SourceKind[];
}

/** Builds the sources of configurations; shared state such as breakers survives reloads. */
export interface GateSources {
  /** Sources of a configuration; unchanged ones are the running ones, with their processes and sessions. Closes nothing. */
  build(config: Config): Promise<readonly ToolSource[]>;
  /** Makes the sources of the last `build` the running ones. */
  keep(): void;
  /** Admission decision about a local server, with its evidence. */
  admission(source: string): AdmissionRecord | undefined;
  close(): Promise<void>;
}

/** Sources with their circuit breakers and the admission of servers and definitions. */
export function gateSources(options: GateSourcesOptions): GateSources {
  const { config, base, home, processes, pins, results, env, journal, metrics, log, events, kinds } = options;
  const origins = originBreakers({
    onBreaker(origin, from, to) {
      log.event('circuit_breaker.state_changed', { origin, old: from, new: to });
      metrics.originBreakerChanged(origin, to);
      events.publish('breaker', { origin, old: from, new: to });
    },
  });
  const onEvent = (event: string, fields: JsonObject): void => {
    log.event(isLogEvent(event) ? event : 'source.changed', { ...fields });
    if (/^(source|upstream)\./.test(event) && event !== 'upstream.stderr')
      events.publish('source', { event, ...fields });
  };
  const running = sourceMap();
  const admission = upstreamAdmission({
    config,
    base,
    scans: home.scans,
    version,
    processes,
    pins,
    onEvent,
    journal,
    log,
  });
  return {
    keep: running.keep,
    async build(whole) {
      const planned = planSources(
        whole,
        {
          base,
          env,
          processes,
          packages: home.packages,
          grants: home.grants,
          client: { name: identity.name, version: identity.version },
          origins,
          admission,
          onEvent,
        },
        { kinds },
      );
      const taken = planned.find(({ id }) => options.extensions.some((source) => source.id === id));
      if (taken !== undefined) throw new Error(`the id ${taken.id} of a source is used twice`);
      return [results.source, ...options.extensions, ...(await running.build(planned))];
    },
    admission: (source) => admission.record(source),
    close: () => admission.close(),
  };
}
