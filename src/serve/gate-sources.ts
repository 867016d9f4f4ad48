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
import { recordAdmission } from '../admission/audit-record.js';
import { definitionAdmission } from '../admission/definitions.js';
import type { Home } from './home.js';
import type { PinFiles } from '../admission/pins/pin-files.js';
import type { AdmissionRecord } from '../admission/evidence.js';
import type { SourceAdmission } from '../admission/source-admission.js';
import { sourcesOf } from './sources.js';
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
}

/** Builds the sources of the active configuration, again at each reload; shared state such as breakers survives. */
export interface GateSources {
  build(): Promise<readonly ToolSource[]>;
  /** Admission decision about a local server, with its evidence. */
  admission(source: string): AdmissionRecord | undefined;
  close(): Promise<void>;
}

/** Sources with their circuit breakers and the admission of servers and definitions. */
export function gateSources(options: GateSourcesOptions): GateSources {
  const { config, base, home, processes, pins, results, env, journal, metrics, log, events } = options;
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
  let sourceAdmission: (SourceAdmission & { close(): Promise<void> }) | undefined;
  return {
    async build() {
      const whole = config();
      // Loaded on demand: a gateway without upstream servers does not need the scanner.
      if (Object.values(whole.sources).some(({ kind }) => kind === 'mcp')) {
        const [{ openSourceAdmission }, { configuredRegistry }] = await Promise.all([
          import('../admission/open.js'),
          import('./mcp-registry.js'),
        ]);
        sourceAdmission ??= openSourceAdmission({
          config,
          base,
          scans: home.scans,
          version,
          registry: configuredRegistry(config),
          processes,
          pins,
          onEvent,
          onDecision: (record) => recordAdmission(journal, log, record),
        });
      }
      const sources = await sourcesOf({
        config: whole,
        base,
        processes,
        env,
        origins,
        admission: sourceAdmission,
        admit: definitionAdmission({ files: pins, sourceAdmission, onEvent }),
        grants: home.grants,
        packages: home.packages,
        onEvent,
      });
      return [results.source, ...sources];
    },
    admission: (source) => sourceAdmission?.record(source),
    async close() {
      await sourceAdmission?.close();
    },
  };
}
