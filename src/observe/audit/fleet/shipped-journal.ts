import type { AuditLog } from '../audit-log.js';
import type { AuditShipper } from './shipper.js';

/** Which records are acknowledged by the archive before a call goes on; `writes` are those written ahead of a side effect. */
type AuditAck = 'local' | 'writes' | 'shipped';

/** The journal of a replica whose records count only when the archive has them. */
export function shippedJournal(log: AuditLog, shipper: AuditShipper, ack: () => AuditAck): AuditLog {
  return {
    ...log,
    problem: () => log.problem() ?? (ack() === 'shipped' ? shipper.problem() : undefined),
    append(record) {
      const written = log.append(record);
      const mode = ack();
      // Only the record before a side effect must be safe before the call goes on.
      if (mode === 'local' || (mode === 'writes' && record.event !== 'begin')) return written;
      return written.then(() => shipper.shipped(log.head().seq));
    },
  };
}
