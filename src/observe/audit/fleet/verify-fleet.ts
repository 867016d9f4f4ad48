import type { KeyObject } from 'node:crypto';
import type { AuditArchive } from '../../../state/postgres/audit-archive.js';
import { GENESIS, hasValidSeal, unseal } from '../audit-entry.js';
import { checkpointHash, isSignedBy, type CheckpointBody } from './checkpoints.js';

interface FleetFinding {
  readonly kind: 'changed' | 'missing' | 'truncated' | 'unreadable' | 'signature' | 'checkpoint' | 'absent';
  readonly message: string;
  readonly journal?: string;
  readonly seq?: number;
}

/** Result of verifying the archive of a fleet. */
interface FleetVerification {
  readonly intact: boolean;
  readonly records: number;
  readonly journals: readonly {
    readonly journal: string;
    readonly replica: string;
    readonly seq: number;
    readonly hash: string;
    /** Set if its replica vanished: records after this number may have been lost with its disk. */
    readonly lostAfter?: number;
  }[];
  readonly checkpoints: number;
  /** Hash of the last checkpoint; stored elsewhere, it proves later that nothing before it changed. */
  readonly checkpoint?: string;
  readonly findings: readonly FleetFinding[];
}

interface FleetVerifyOptions {
  /** Public or private keys of the cluster secret and of former ones. */
  readonly keys: readonly KeyObject[];
  /** Hash of a record or checkpoint noted earlier, which must still be there. */
  readonly contains?: string;
  readonly maxFindings?: number;
}

// Read page by page: an archive is larger than memory.
const pageLines = 1_000;

/**
 * Verifies every chain and every checkpoint: lines that were changed, removed, swapped or cut off after a checkpoint, checkpoints that
 * were altered or removed from the middle, and heads that went back. No order between journals is claimed.
 */
export async function verifyFleet(
  archive: AuditArchive,
  { keys, contains, maxFindings = 100 }: FleetVerifyOptions,
): Promise<FleetVerification> {
  const findings: FleetFinding[] = [];
  // Bounded, because one removed line invalidates every line after it.
  const report = (finding: FleetFinding): void => void (findings.length < maxFindings && findings.push(finding));
  let isContained = contains === undefined;

  // Checkpoints first: replicas that write meanwhile can only be ahead of them.
  /** Hashes that checkpoints state, by journal and number. */
  const stated = new Map<string, Map<number, string>>();
  let last: { readonly id: number; readonly hash: string; readonly body: CheckpointBody } | undefined;
  let checkpoints = 0;
  for (;;) {
    const page = await archive.checkpoints(last?.id ?? 0, pageLines);
    for (const checkpoint of page) {
      const { id, body: text } = checkpoint;
      // Any of the keys: the cluster secret may have been rotated since.
      if (!isSignedBy(keys, checkpoint))
        report({ kind: 'signature', message: `checkpoint ${id} is not signed with the cluster secret` });
      const body = parseBody(text);
      // Checkpoints form a chain of their own, so that one cannot be removed from the middle.
      if (body === undefined || body.id !== id || body.previous !== last?.hash || (last === undefined && id !== 1))
        report({ kind: 'checkpoint', message: `checkpoint ${id} does not follow checkpoint ${last?.id ?? 0}` });
      for (const [journal, head] of Object.entries(body?.heads ?? {})) {
        const before = last?.body.heads[journal];
        // Heads only grow; one that went back means that lines were cut off and the checkpoint was forged later.
        if (before && head.seq < before.seq)
          report({ kind: 'checkpoint', message: `checkpoint ${id}: a journal went back`, journal, seq: head.seq });
        const known = stated.get(journal) ?? new Map<number, string>();
        stated.set(journal, known.set(head.seq, head.hash));
      }
      // A journal that was in an earlier checkpoint cannot disappear: that would hide all of its records.
      for (const journal of Object.keys(last?.body.heads ?? {}))
        if (body && !Object.hasOwn(body.heads, journal))
          report({ kind: 'checkpoint', message: `checkpoint ${id}: a journal is missing`, journal });
      const sum = checkpointHash(text);
      if (sum === contains) isContained = true;
      last = { id, hash: sum, body: body ?? { id, at: '', heads: {}, lost: {} } };
      checkpoints += 1;
    }
    if (page.length < pageLines) break;
  }

  let records = 0;
  const journals: FleetVerification['journals'][number][] = [];
  for (const { journal, replica } of await archive.journals()) {
    const expected = stated.get(journal);
    stated.delete(journal);
    let at = { seq: 0, hash: GENESIS };
    for (;;) {
      const page = await archive.lines(journal, at.seq, pageLines);
      for (const { seq, hash, line } of page) {
        const entry = unseal(line);
        // The columns repeat what the line states; a difference means that one of them was edited.
        if (entry === undefined || entry.seq !== seq || entry.hash !== hash)
          report({ kind: 'unreadable', message: `line ${seq} is not the record it claims to be`, journal, seq });
        else if (seq !== at.seq + 1)
          report({ kind: 'missing', message: `records ${at.seq + 1} to ${seq - 1} are missing`, journal, seq });
        else if (!hasValidSeal(line, at.hash))
          report({ kind: 'changed', message: `record ${seq} or the one before it was changed`, journal, seq });
        // The line must match what a signed checkpoint promised, even if its own chain is consistent (rewritten history).
        const promised = expected?.get(seq);
        if (promised !== undefined) {
          expected?.delete(seq);
          if (promised !== hash)
            report({ kind: 'changed', message: `record ${seq} differs from its checkpoint`, journal, seq });
        }
        if (hash === contains) isContained = true;
        at = { seq, hash };
        records += 1;
      }
      if (page.length < pageLines) break;
    }
    // Promised by a checkpoint and not found: the end was cut off.
    for (const seq of expected?.keys() ?? [])
      report({ kind: 'truncated', message: `record ${seq} of a checkpoint is missing`, journal, seq });
    const lostAfter = last?.body.lost[journal];
    journals.push({ journal, replica, ...at, ...(lostAfter !== undefined && { lostAfter }) });
  }
  // A journal that only checkpoints know was removed as a whole.
  for (const journal of stated.keys())
    report({ kind: 'missing', message: 'a journal of a checkpoint is missing', journal });
  // Outside the bound, because it answers the question of the caller.
  if (!isContained) findings.push({ kind: 'absent', message: 'no record or checkpoint has the given hash' });
  return {
    intact: findings.length === 0,
    records,
    journals,
    checkpoints,
    ...(last && { checkpoint: last.hash }),
    findings,
  };
}

function parseBody(text: string): CheckpointBody | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return undefined;
    // The signature was checked before; this check only keeps a damaged row from throwing.
    const body = value as Partial<CheckpointBody>;
    return typeof body.id === 'number' && typeof body.heads === 'object' && typeof body.lost === 'object'
      ? (body as CheckpointBody)
      : undefined;
  } catch {
    return undefined;
  }
}
