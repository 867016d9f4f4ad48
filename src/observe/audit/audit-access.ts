import { join } from 'node:path';
import type { JsonObject } from '../../core/json.js';
import type { AuditRecord } from '../../guards/audit.js';
import { readHead } from './audit-files.js';
import type { JournalEntry } from './audit-journals.js';
import { journalsIn, readAll, verifyAll } from './audit-journals.js';
import { readFrom, type AuditFilter } from './audit-read.js';
import { verifyAround } from './audit-around.js';
import { verifyJournal } from './audit-verify.js';
import type { RecentCalls } from '../recent-calls.js';

/** Records are plain JSON; only the interfaces lack the index signature. */
const toJson = (entry: JournalEntry | AuditRecord): JsonObject => entry as unknown as JsonObject;

/** Position of a record in the merged order of all journals: `time/journal/seq`. */
const cursorOf = ({ at, journal, seq }: JournalEntry): string => `${at}/${journal}/${seq}`;
/** A cursor of a client; anything else is refused. */
const cursorPattern = /^(\d{4}-[\dT:.-]+Z)\/(\d{1,6})\/(\d{1,15})$/;

/** Reads and verifies the audit of a state folder. */
export function auditAccess(folder: string) {
  return {
    async page(filter: AuditFilter & { readonly limit: number }, before: string | undefined) {
      const cursor = before === undefined ? undefined : cursorPattern.exec(before);
      if (cursor === null) return undefined;
      const [, at, journal, seq] = cursor ?? [];
      // `until` excludes its millisecond, so one more is read and what is not older than the cursor is dropped.
      const until = at === undefined ? filter.until : new Date(Date.parse(at) + 1).toISOString();
      const { entries } = await readAll(folder, {
        ...filter,
        ...(until !== undefined && { until }),
        // More than the limit is read, since entries at the boundary are dropped.
        limit: filter.limit + 1_000,
      });
      const isOlder = (entry: JournalEntry): boolean =>
        at === undefined ||
        entry.at < at ||
        (entry.at === at && (entry.journal - Number(journal) || entry.seq - Number(seq)) < 0);
      const older = entries.filter(isOlder).toReversed();
      const shown = older.slice(0, filter.limit);
      const last = shown.at(-1);
      return {
        entries: shown.map(toJson),
        ...(older.length > filter.limit && last && { next: cursorOf(last) }),
      };
    },
    async verify(onJournal: (progress: JsonObject) => void, signal: AbortSignal): Promise<JsonObject> {
      for (const journal of journalsIn(folder)) {
        // Between journals: a large one is finished first.
        if (signal.aborted) return { cancelled: true };
        const { intact, records } = await verifyJournal(join(folder, String(journal)));
        onJournal({ journal, intact, records });
      }
      const { intact, records, journals, findings } = await verifyAll(folder);
      return {
        intact,
        records,
        findings: [...findings, ...journals.flatMap((each) => each.findings)]
          // Bounded: a tampered journal may have a finding per line.
          .slice(0, 100)
          .map(({ message }) => message),
      };
    },
    async *export(filter: AuditFilter): AsyncGenerator<JsonObject> {
      for (const journal of journalsIn(folder)) {
        const position = { file: 0, offset: 0 };
        for await (const entry of readFrom(join(folder, String(journal)), filter, position))
          yield toJson({ ...entry, journal });
      }
    },
    heads: async () =>
      journalsIn(folder).flatMap((journal) => {
        const head = readHead(join(folder, String(journal)));
        return head === undefined ? [] : [{ journal, seq: head.seq, hash: head.hash }];
      }),
  };
}

/** Recent calls from memory; older ones, and those of other gateways of this folder, from the audit. */
export function callRecords(
  folder: string,
  recent: RecentCalls,
  stagesOf: (call: string) => readonly JsonObject[] | undefined,
  /** Names of the guards in their order. */
  pipeline: readonly string[] = [],
) {
  return {
    async list(filter: AuditFilter & { readonly limit: number }): Promise<readonly JsonObject[]> {
      const { principal, tool, code, decision, since, until, limit } = filter;
      const accepts = (record: AuditRecord): boolean =>
        (principal === undefined || record.principal === principal) &&
        (tool === undefined || record.tool === tool) &&
        (code === undefined || record.code === code) &&
        (decision === undefined || record.decision === decision) &&
        (since === undefined || record.at >= since) &&
        (until === undefined || record.at < until);
      const found = recent.list(accepts, limit);
      // Without a beginning the newest calls are wanted, and those are in memory.
      if (found.length >= limit || since === undefined) return found.map(toJson);
      const { entries } = await readAll(folder, filter);
      return (
        entries
          // A call has two records; the one of its end has the result.
          .filter((entry) => 'event' in entry && (entry.event === 'end' || entry.event === 'refused'))
          .toReversed()
          .map(toJson)
      );
    },
    async verifyAround(id: string): Promise<JsonObject | undefined> {
      const { entries } = await readAll(folder, { call: id, limit: 10 });
      const entry = entries.findLast((each) => 'event' in each);
      if (entry === undefined) return undefined;
      return { journal: entry.journal, ...(await verifyAround(join(folder, String(entry.journal)), entry.seq)) };
    },
    async find(id: string): Promise<JsonObject | undefined> {
      const { entries } = await readAll(folder, { call: id, limit: 10 });
      // The journal first: it also has the calls of other gateways.
      const record = entries.findLast((entry) => 'event' in entry) ?? recent.find(id);
      if (record === undefined) return undefined;
      const stages = stagesOf(id);
      return { ...toJson(record), stages: stages === undefined ? null : [...stages], pipeline: [...pipeline] };
    },
  };
}
