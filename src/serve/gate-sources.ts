import type { Config } from '../config/schema.js';
import type { JsonObject } from '../core/json.js';
import type { ToolSource } from '../core/source.js';
import type { AuditLog } from '../observe/audit/audit-log.js';
import type { EventBus } from '../observe/events.js';
import { isLogEvent } from '../observe/log/log-events.js';
import type { Log } from '../observe/log/log.js';
import { sourceLog, type SourceLog } from '../observe/source-log.js';
import type { Metrics } from '../observe/metrics/metrics.js';
import type { Processes } from '../processes/processes.js';
import type { CommandDefinition } from '../sources/command/definition.js';
import { originBreakers } from '../sources/http/breakers.js';
import type { StoredResults } from '../sources/stored-results.js';
import { upstreamAdmission } from '../admission/upstream.js';
import type { Home } from './home.js';
import type { PinStore } from '../admission/pins/pin-files.js';
import type { AdmissionRecord } from '../admission/evidence.js';
import type { SourceKind } from '../sources/kind.js';
import type { GrantStore } from '../sources/mcp/oauth/tokens.js';
import type { SourcePeers } from '../sources/source-peers.js';
import { planSources } from '../sources/plan.js';
import { identity } from '../identity.js';
import { sourceMap } from '../sources/source-map.js';
import { version } from '../version.js';

/** What sources are built from; everything that outlives a reload. */
interface GateSourcesOptions {
  readonly config: () => Config;
  readonly base: string;
  readonly home: Home;
  readonly processes: Processes;
  readonly pins: PinStore;
  readonly results: StoredResults;
  readonly env: NodeJS.ProcessEnv;
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly events: EventBus;
  /** Sources of the embedding program. */
  readonly extensions: readonly ToolSource[];
  /** Commands of the embedding program. */
  readonly commands: readonly CommandDefinition[];
  readonly kinds: readonly SourceKind[];
  /** Logins that replicas share. */
  readonly grantStore: GrantStore | undefined;
  /** Other replicas. */
  readonly peers: SourcePeers | undefined;
}

/** Builds the sources of configurations; shared state such as breakers survives reloads. */
export interface GateSources {
  /** Sources of a configuration; unchanged ones are the running ones, with their processes and sessions. Closes nothing. */
  build(config: Config): Promise<readonly ToolSource[]>;
  /** Makes the sources of the last `build` the running ones. */
  keep(): void;
  /** Admission decision about a local server, with its evidence. */
  admission(source: string): AdmissionRecord | undefined;
  /** Reports an event of a source in log, events and the lines of the source. */
  report(event: string, fields: JsonObject): void;
  /** Latest stderr lines and events of a source. */
  lines: SourceLog['lines'];
  close(): Promise<void>;
}

/** Sources with their circuit breakers and the admission of servers and definitions. */
export function gateSources(options: GateSourcesOptions): GateSources {
  const { config, base, home, processes, pins, results, env, journal, metrics, log, events, kinds } = options;
  // By origin, not by source: two sources that call the same host share its failures.
  const origins = originBreakers({
    onBreaker(origin, from, to) {
      log.event('circuit_breaker.state_changed', { origin, old: from, new: to });
      metrics.originBreakerChanged(origin, to);
      events.publish('breaker', { origin, old: from, new: to });
    },
  });
  const lines = sourceLog();
  const onEvent = (event: string, fields: JsonObject): void => {
    lines.add(event, fields);
    // Events of extensions have free names; the log has a fixed list.
    log.event(isLogEvent(event) ? event : 'source.changed', { ...fields });
    // stderr lines are frequent and in the log; subscribers of events want changes of state.
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
          ...(options.grantStore && { grantStore: options.grantStore }),
          ...(options.peers && { peers: options.peers }),
          client: { name: identity.name, version: identity.version },
          origins,
          admission,
          commands: options.commands,
          onEvent,
        },
        { kinds },
      );
      // Two sources with one id would share pins, health and the prefix of their tools.
      const taken = planned.find(({ id }) => options.extensions.some((source) => source.id === id));
      if (taken !== undefined) throw new Error(`the id ${taken.id} of a source is used twice`);
      // Stored results come first, so that their reserved names cannot be taken by another source.
      return [results.source, ...options.extensions, ...(await running.build(planned))];
    },
    admission: (source) => admission.record(source),
    report: onEvent,
    lines: lines.lines,
    close: () => admission.close(),
  };
}
