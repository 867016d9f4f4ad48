import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AuditEntry } from './audit-entry.js';
import { readJournal, readFrom, type AuditFilter, type Position } from './audit-read.js';
import { verifyJournal, type JournalFinding, type JournalVerification, type VerifyOptions } from './audit-verify.js';

/**
 * Lists the journals in an audit folder. A journal has one writer, so gateways that run side by side each have a separate
 * one, numbered 1, 2, 3 and so on; readers merge them by time.
 */
export function journalsIn(folder: string): readonly number[] {
  try {
    return (
      readdirSync(folder)
        // Other files in the folder, such as locks, are no journals.
        .filter((name) => /^[1-9]\d{0,5}$/.test(name))
        .map(Number)
        .sort((a, b) => a - b)
    );
  } catch (error) {
    // No folder means no audit yet.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** An entry and the number of its journal. */
export type JournalEntry = AuditEntry & { readonly journal: number };

/** Newest matching entries of all journals, oldest first, and the position where reading stopped in each. */
export async function readAll(
  folder: string,
  filter: AuditFilter = {},
): Promise<{ readonly entries: readonly JournalEntry[]; readonly ends: ReadonlyMap<number, Position> }> {
  const ends = new Map<number, Position>();
  const entries: JournalEntry[] = [];
  for (const journal of journalsIn(folder)) {
    const result = await readJournal(join(folder, String(journal)), filter);
    ends.set(journal, result.end);
    for (const entry of result.entries) entries.push({ ...entry, journal });
  }
  const limit = filter.limit ?? entries.length;
  entries.sort(byTime);
  return { entries: limit === 0 ? [] : entries.slice(-limit), ends };
}

/** Follows all journals, including new ones, until the signal fires. */
export async function* followAll(
  folder: string,
  filter: AuditFilter,
  from: ReadonlyMap<number, Position>,
  signal: AbortSignal,
  pollMs = 250,
): AsyncGenerator<JournalEntry> {
  const positions = new Map([...from].map(([journal, position]) => [journal, { ...position }]));
  while (!signal.aborted) {
    const fresh: JournalEntry[] = [];
    for (const journal of journalsIn(folder)) {
      // A journal that appeared meanwhile is read from its beginning.
      const position = positions.get(journal) ?? { file: 0, offset: 0 };
      positions.set(journal, position);
      for await (const entry of readFrom(join(folder, String(journal)), filter, position))
        fresh.push({ ...entry, journal });
    }
    // Sorted per round: across rounds the order is that of arrival.
    yield* fresh.sort(byTime);
    await wait(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Result of verifying all journals. */
interface AuditVerification {
  readonly intact: boolean;
  readonly records: number;
  readonly journals: readonly (JournalVerification & { readonly journal: number })[];
  /** Findings that concern no single journal. */
  readonly findings: readonly JournalFinding[];
}

/** Verifies all journals; a gap in their numbers means that one was deleted. */
export async function verifyAll(
  folder: string,
  { contains, ...options }: VerifyOptions = {},
): Promise<AuditVerification> {
  const journals: (JournalVerification & { readonly journal: number })[] = [];
  const findings: JournalFinding[] = [];
  let isContained = contains === undefined;
  let before = 0;
  for (const journal of journalsIn(folder)) {
    if (journal > before + 1)
      findings.push({
        kind: 'missing',
        message:
          journal === before + 2
            ? `journal ${before + 1} is missing`
            : `journals ${before + 1} to ${journal - 1} are missing`,
      });
    before = journal;
    const verification = await verifyJournal(join(folder, String(journal)), {
      ...options,
      ...(contains !== undefined && { contains }),
    });
    // A hash is in one journal only; its absence in the others is no finding.
    const ownFindings = verification.findings.filter((finding) => finding.kind !== 'absent');
    isContained ||= ownFindings.length === verification.findings.length;
    journals.push({ ...verification, findings: ownFindings, intact: ownFindings.length === 0, journal });
  }
  if (!isContained) findings.push({ kind: 'absent', message: 'no record has the given hash' });
  return {
    intact: findings.length === 0 && journals.every((journal) => journal.intact),
    records: journals.reduce((sum, journal) => sum + journal.records, 0),
    journals,
    findings,
  };
}

const byTime = (a: JournalEntry, b: JournalEntry): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : a.journal - b.journal || a.seq - b.seq;
