import type { Config } from '../config/schema.js';
import type { AuditLog } from '../observe/audit/audit-log.js';
import { checkpointKey, writeCheckpoint } from '../observe/audit/fleet/checkpoints.js';
import { shippedJournal } from '../observe/audit/fleet/shipped-journal.js';
import { auditShipper, type AuditShipper } from '../observe/audit/fleet/shipper.js';
import type { Log } from '../observe/log/log.js';
import { postgresAuditArchive } from '../state/postgres/audit-archive.js';
import type { SharedState } from '../state/shared.js';

/** Purpose of the key that signs checkpoints. */
export const checkpointPurpose = 'audit checkpoint';

const checkpointMs = 60_000;

/** Audit of a replica as part of a fleet: its journal is shipped, and one replica at a time writes checkpoints. */
export function fleetAudit(
  { postgres, keyFor, replica }: SharedState,
  config: () => Config,
  log: Log,
): { shipped(journal: AuditLog): AuditLog; close(): Promise<void> } {
  const archive = postgresAuditArchive(postgres);
  const key = checkpointKey(keyFor(checkpointPurpose));
  let shipper: AuditShipper | undefined;
  const checkpoint = async (): Promise<void> => {
    if (archive.isDown()) return;
    try {
      await writeCheckpoint(archive, key);
    } catch (error) {
      log.event('server.problem', { message: `No audit checkpoint was written: ${String(error)}` });
    }
  };
  const timer = setInterval(() => void checkpoint(), checkpointMs).unref();
  return {
    shipped(journal) {
      shipper = auditShipper(journal, archive, replica);
      return shippedJournal(journal, shipper, () => config().audit.ack ?? 'writes');
    },
    async close() {
      clearInterval(timer);
      await shipper?.close();
      await checkpoint();
    },
  };
}
