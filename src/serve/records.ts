import type { Config } from '../config/schema.js';
import type { AuditLog } from '../observe/audit-log.js';
import type { EventBus } from '../observe/events.js';
import { eventBus } from '../observe/events.js';
import type { Log } from '../observe/log.js';
import type { Metrics } from '../observe/metrics.js';
import { metrics } from '../observe/metrics.js';
import type { Home } from './home.js';
import { gateJournal } from './journal.js';

/** What the gateway writes down: journal, metrics and events. They survive reloads; their settings do not. */
export interface GateRecords {
  readonly journal: AuditLog;
  readonly metrics: Metrics;
  readonly events: EventBus;
  /** Applies the settings of a configuration, also to the log. */
  configure(config: Config): void;
}

export function gateRecords(home: Home, config: Config, log: Log): GateRecords {
  const journal = gateJournal(home.audit, config, log);
  return {
    journal,
    metrics: metrics(),
    events: eventBus(),
    configure({ audit, log: { level, format } }) {
      journal.configure({ sync: audit.sync, maxFileBytes: audit.max_file_bytes });
      log.configure({ level, format });
    },
  };
}
