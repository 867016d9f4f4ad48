import type { Config } from '../../config/schema.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { EventBus } from '../events.js';
import { eventBus } from '../events.js';
import type { Log } from '../log/log.js';
import type { Metrics } from '../metrics/metrics.js';
import { metrics } from '../metrics/metrics.js';
import { intervalNumbers } from '../metrics/interval-numbers.js';
import type { MetricsHistory } from '../metrics/metrics-history.js';
import { metricsHistory } from '../metrics/metrics-history.js';
import type { RecentCalls } from '../recent-calls.js';
import { recentCalls } from '../recent-calls.js';
import { clientCalls, type ClientCalls } from '../client-calls.js';
import { gateJournal } from './journal.js';

/** What the gateway writes down: journal, metrics and events. They survive reloads; their settings do not. */
export interface GateRecords {
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly events: EventBus;
  readonly recent: RecentCalls;
  readonly history: MetricsHistory;
  /** Last call of each client program. */
  readonly clients: ClientCalls;
  /** Applies the settings of a configuration, also to the log. */
  configure(config: Config): void;
}

export function gateRecords(
  home: { readonly audit: string },
  config: Config,
  log: Log,
  /** Adds what a cluster does with the journal. */
  inCluster: (journal: AuditLog) => AuditLog = (journal) => journal,
): GateRecords {
  // Outside the journal: plots need counts per interval, and the journal may be rotated.
  const numbers = intervalNumbers();
  // The copy in memory wraps the journal, so that nothing is shown that was not recorded first.
  const recent = recentCalls(inCluster(gateJournal(home.audit, config, log)), (record) => numbers.note(record));
  const { journal } = recent;
  const counted = metrics();
  return {
    journal,
    recent,
    history: metricsHistory({ totals: () => counted.totals(), takeInterval: () => numbers.take() }),
    metrics: counted,
    clients: clientCalls(),
    events: eventBus(),
    configure({ audit, log: { level, format } }) {
      journal.configure({ sync: audit.sync, maxFileBytes: audit.max_file_bytes });
      log.configure({ level, format });
    },
  };
}
