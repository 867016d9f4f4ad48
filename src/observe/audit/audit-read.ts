import { statSync } from 'node:fs';
import { join } from 'node:path';
import { unseal, type AuditEntry } from './audit-entry.js';
import { fileName, fileNumbers, linesOf } from './audit-files.js';

/** Filter for entries; absent fields match all. Times are ISO strings in UTC. */
export interface AuditFilter {
  readonly principal?: string;
  readonly tool?: string;
  readonly code?: string;
  readonly decision?: string;
  /** Id of one call. */
  readonly call?: string;
  readonly since?: string;
  readonly until?: string;
  /** Maximum number of entries, newest first. */
  readonly limit?: number;
}

/** Position of a reader; `readFrom` continues there without a gap. */
export interface Position {
  readonly file: number;
  readonly offset: number;
}

/** Entries with the position after the last one read. */
interface ReadResult {
  readonly entries: readonly AuditEntry[];
  readonly end: Position;
}

/** Newest matching entries, oldest first. Reads files from the newest back, no further than needed. */
export async function readJournal(folder: string, filter: AuditFilter = {}): Promise<ReadResult> {
  const limit = filter.limit ?? 1000;
  const matches = toEntryFilter(filter);
  let found: AuditEntry[] = [];
  let end: Position = { file: 0, offset: 0 };
  for (const number of fileNumbers(folder).toReversed()) {
    let inFile: AuditEntry[] = [];
    let offset = 0;
    let startsBefore = false;
    for await (const lines of linesOf(join(folder, fileName(number)))) {
      for (const line of lines) {
        // A line that is being written is read next time.
        if (!line.isComplete) continue;
        offset = line.end;
        const entry = unseal(line.text);
        if (!entry) continue;
        if (line.number === 1) startsBefore = filter.since !== undefined && entry.at < filter.since;
        if (matches(entry)) inFile.push(entry);
      }
      // Trimmed while reading, so that a large file does not fill memory.
      if (inFile.length > 2 * limit) inFile = inFile.slice(-limit);
    }
    if (end.file === 0) end = { file: number, offset };
    found = [...inFile, ...found].slice(-limit);
    // An older file can only have older entries.
    if (found.length >= limit || startsBefore) break;
  }
  return { entries: limit === 0 ? [] : found, end };
}

/** Entries written after a position, across files; advances the position as entries are consumed. */
export async function* readFrom(
  folder: string,
  filter: AuditFilter,
  position: { file: number; offset: number },
): AsyncGenerator<AuditEntry> {
  const matches = toEntryFilter(filter);
  for (;;) {
    const path = join(folder, fileName(position.file));
    if (sizeOf(path) > position.offset) {
      for await (const lines of linesOf(path, position.offset)) {
        for (const line of lines) {
          if (!line.isComplete) return;
          position.offset = line.end;
          const entry = unseal(line.text);
          if (entry && matches(entry)) yield entry;
        }
      }
    }
    const next = fileNumbers(folder).find((number) => number > position.file);
    // The file grew meanwhile: its rest comes before the next file.
    if (next === undefined || sizeOf(path) > position.offset) return;
    position.file = next;
    position.offset = 0;
  }
}

/** Compiles a filter. */
export function toEntryFilter(filter: AuditFilter): (entry: AuditEntry) => boolean {
  const { principal, tool, code, decision, call, since, until } = filter;
  const aboutCalls = [principal, tool, code, decision, call].some((value) => value !== undefined);
  return (entry) => {
    if (since !== undefined && entry.at < since) return false;
    if (until !== undefined && entry.at >= until) return false;
    // Notes belong to the journal, not to calls; they are hidden by a filter on calls.
    if ('note' in entry) return !aboutCalls;
    if (principal !== undefined && entry.principal !== principal) return false;
    if (tool !== undefined && entry.tool !== tool) return false;
    if (call !== undefined && entry.call !== call) return false;
    if (code !== undefined && entry.code !== code) return false;
    return decision === undefined || entry.decision === decision;
  };
}

/** Size of a file; 0 if it does not exist. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
