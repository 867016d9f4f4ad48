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
import type { KeptResults } from '../sources/kept-results.js';
import { recordAdmission } from './admin-records.js';
import { admission } from './admission.js';
import type { Home } from './home.js';
import type { PinFiles } from './pin-files.js';
import type { Screening } from './screening/evidence.js';
import type { Screens } from './screening/screening.js';
import { sourcesOf } from './sources.js';

export interface GateSourcesOptions {
  readonly config: () => Config;
  readonly base: string;
  readonly home: Home;
  readonly processes: Processes;
  readonly pins: PinFiles;
  readonly results: KeptResults;
  readonly env: NodeJS.ProcessEnv;
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly events: EventBus;
}

/** Builds the sources of the configuration in force, again at each reload; what they share outlives it. */
export interface GateSources {
  build(): Promise<readonly ToolSource[]>;
  /** What was decided about a local server before it was started, and by what. */
  screening(source: string): Screening | undefined;
  close(): Promise<void>;
}

/** Sources with the breakers, the screening and the admission that stand before them. */
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
  let screens: (Screens & { close(): Promise<void> }) | undefined;
  return {
    async build() {
      const whole = config();
      // Whoever has no upstream server need not load what reads them.
      if (Object.values(whole.sources).some(({ kind }) => kind === 'mcp')) {
        screens ??= (await import('./screens.js')).screensOf({
          config,
          base,
          home,
          processes,
          pins,
          onEvent,
          onDecision: (screening) => recordAdmission(journal, log, screening),
        });
      }
      const made = await sourcesOf({
        config: whole,
        base,
        processes,
        env,
        origins,
        screens,
        admit: admission({ files: pins, screens, onEvent }),
        grants: home.grants,
        packages: home.packages,
        onEvent,
      });
      return [results.source, ...made];
    },
    screening: (source) => screens?.of(source),
    async close() {
      await screens?.close();
    },
  };
}
