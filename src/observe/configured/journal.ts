import { join } from 'node:path';
import type { Config } from '../../config/schema.js';
import type { AuditLog, AuditLogOptions } from '../audit/audit-log.js';
import { auditLog } from '../audit/audit-log.js';
import type { LogEvent } from '../log/log-events.js';
import type { Log } from '../log/log.js';

/** More gateways than this on one state folder indicate a mistake. */
const mostJournals = 64;

/**
 * Opens a journal in the audit folder. A journal has one writer, and several assistants on one machine each start a gateway, so
 * each takes the first journal that is not locked; every journal is a separate hash chain.
 */
export function openJournal(folder: string, options: Omit<AuditLogOptions, 'folder'>): AuditLog {
  let last = '';
  for (let number = 1; number <= mostJournals; number += 1) {
    const opened = auditLog({ ...options, folder: join(folder, String(number)) });
    if (opened.ok) return opened.log;
    last = opened.problem;
    if (!last.includes('in use')) break;
  }
  throw new Error(`Cannot open the audit journal: ${last}`);
}

/** Opens the journal with the audit settings of a configuration, and logs its notes. */
export const gateJournal = (folder: string, { audit }: Config, log: Log): AuditLog =>
  openJournal(folder, {
    sync: audit.sync,
    maxFileBytes: audit.max_file_bytes,
    onNote: (note) => log.event(noteEvents[note.note] ?? 'audit.mended', { note: note.note, ...note.detail }),
  });

const noteEvents: Readonly<Record<string, LogEvent>> = {
  failed: 'audit.failed',
  lost: 'audit.lost',
  resumed: 'audit.resumed',
  opened: 'audit.opened',
};
