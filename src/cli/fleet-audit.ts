import { openAuditArchive, parsePublicKey } from '../cluster/audit-archive.js';
import type { Config } from '../config/schema.js';
import { escapeInvisible } from '../lib/text/escape-invisible.js';
import type { AuditFilter } from '../observe/audit/audit-read.js';
import { readFleet, type FleetEntry } from '../observe/audit/fleet/read-fleet.js';
import { verifyFleet } from '../observe/audit/fleet/verify-fleet.js';
import type { Io } from './io.js';

const noCluster = '--fleet needs a configuration with `cluster`; name it with --config';

/** Prints matching records of all replicas; an exit code, or the problem with the arguments. */
export async function listFleet(
  config: Config,
  filter: AuditFilter,
  io: Io,
  format: (entry: FleetEntry) => string,
): Promise<number | string> {
  const opened = await openAuditArchive(config, io.env);
  if (opened === undefined) return noCluster;
  try {
    const entries = (await readFleet(opened.archive, filter)).filter(
      // Records about files of a journal are bookkeeping of one replica; they answer no question about calls.
      (entry) => !('note' in entry && entry.note === 'file'),
    );
    for (const entry of entries) io.out(`${format(entry)}\n`);
    if (entries.length === 0) io.err('No matching records.\n');
    return 0;
  } finally {
    await opened.close();
  }
}

/** Verifies the archive of the fleet and prints the result; an exit code, or the problem with the arguments. */
export async function verifyFleetRecords(
  config: Config,
  values: {
    readonly key?: readonly string[] | undefined;
    readonly contains?: string | undefined;
    readonly json?: boolean | undefined;
  },
  io: Io,
): Promise<number | string> {
  const former = (values.key ?? []).map((text) => ({ text, key: parsePublicKey(text) }));
  // All given keys are checked before anything is opened: a mistyped key must not look like a broken signature.
  const invalid = former.find(({ key }) => key === undefined);
  if (invalid) return `--key ${JSON.stringify(invalid.text)} is not a public key; verify --fleet prints it`;
  const opened = await openAuditArchive(config, io.env);
  if (opened === undefined) return noCluster;
  try {
    const result = await verifyFleet(opened.archive, {
      // Keys that the fleet used before stay valid for the checkpoints signed with them.
      keys: [...opened.keys, ...former.flatMap(({ key }) => key ?? [])],
      ...(values.contains !== undefined && { contains: values.contains }),
    });
    if (values.json) io.out(`${JSON.stringify({ ...result, public_key: opened.publicKey })}\n`);
    else {
      io.out(
        `${result.intact ? 'Intact' : 'Not intact'}: ${result.records} records in ${result.journals.length} journals, ${result.checkpoints} checkpoints\n`,
      );
      for (const { journal, replica, seq, hash, lostAfter } of result.journals) {
        // A replica that vanished without closing its journal may have had records on its disk that the archive never got.
        const lost =
          lostAfter === undefined ? '' : `; its replica vanished, records after ${lostAfter} may be lost with its disk`;
        io.out(`  journal ${journal} of ${escapeInvisible(replica)} ends at record ${seq} with hash ${hash}${lost}\n`);
      }
      if (result.checkpoint !== undefined) io.out(`  last checkpoint ${result.checkpoint}\n`);
      io.out(`  public key ${opened.publicKey}\n`);
      for (const { journal, message } of result.findings)
        io.out(`  ${journal === undefined ? '' : `${escapeInvisible(journal)}: `}${escapeInvisible(message)}\n`);
    }
    return result.intact ? 0 : 1;
  } finally {
    await opened.close();
  }
}
