import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AuditEntry } from './audit-entry.js';
import { read, readOn, type AuditFilter, type Position } from './audit-read.js';
import { verify, type Finding, type Verified, type VerifyOptions } from './audit-verify.js';

/**
 * The journals below an audit folder. A journal has one writer, so gateways that run side by side each have one of their
 * own, named 1, 2, 3 and so on; to a reader they are one record, in the order of time.
 */
export function journalsIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[1-9]\d{0,5}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** An entry and the journal it stands in. */
export type JournalEntry = AuditEntry & { readonly journal: number };

/** The newest entries of all journals that fit, oldest first, and where each journal was read to. */
export async function readAll(
  folder: string,
  filter: AuditFilter = {},
): Promise<{ readonly entries: readonly JournalEntry[]; readonly ends: ReadonlyMap<number, Position> }> {
  const ends = new Map<number, Position>();
  const entries: JournalEntry[] = [];
  for (const journal of journalsIn(folder)) {
    const result = await read(join(folder, String(journal)), filter);
    ends.set(journal, result.end);
    for (const entry of result.entries) entries.push({ ...entry, journal });
  }
  const limit = filter.limit ?? entries.length;
  entries.sort(byTime);
  return { entries: limit === 0 ? [] : entries.slice(-limit), ends };
}

/** Entries of all journals as they are written, those of new journals too, until the signal fires. */
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
      const position = positions.get(journal) ?? { file: 0, offset: 0 };
      positions.set(journal, position);
      for await (const entry of readOn(join(folder, String(journal)), filter, position))
        fresh.push({ ...entry, journal });
    }
    yield* fresh.sort(byTime);
    await wait(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** What a check of every journal found. */
export interface VerifiedAll {
  readonly intact: boolean;
  readonly records: number;
  readonly journals: readonly (Verified & { readonly journal: number })[];
  /** What is wrong with the whole rather than with one journal. */
  readonly findings: readonly Finding[];
}

/** Verifies every journal. Journals are taken in order, so a number that is left out was removed. */
export async function verifyAll(folder: string, { contains, ...options }: VerifyOptions = {}): Promise<VerifiedAll> {
  const journals: (Verified & { readonly journal: number })[] = [];
  const findings: Finding[] = [];
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
    const verified = await verify(join(folder, String(journal)), {
      ...options,
      ...(contains !== undefined && { contains }),
    });
    const elsewhere = verified.findings.filter((finding) => finding.kind !== 'absent');
    isContained ||= elsewhere.length === verified.findings.length;
    journals.push({ ...verified, findings: elsewhere, intact: elsewhere.length === 0, journal });
  }
  if (!isContained) findings.push({ kind: 'absent', message: 'no record has the hash that was asked for' });
  return {
    intact: findings.length === 0 && journals.every((journal) => journal.intact),
    records: journals.reduce((sum, journal) => sum + journal.records, 0),
    journals,
    findings,
  };
}

const byTime = (a: JournalEntry, b: JournalEntry): number =>
  a.at < b.at ? -1 : a.at > b.at ? 1 : a.journal - b.journal || a.seq - b.seq;
