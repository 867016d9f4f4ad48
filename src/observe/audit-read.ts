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

export interface ReadResult {
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
        if (!line.isComplete) continue;
        offset = line.end;
        const entry = unseal(line.text);
        if (!entry) continue;
        if (line.number === 1) startsBefore = filter.since !== undefined && entry.at < filter.since;
        if (matches(entry)) inFile.push(entry);
      }
      if (inFile.length > 2 * limit) inFile = inFile.slice(-limit);
    }
    if (end.file === 0) end = { file: number, offset };
    found = [...inFile, ...found].slice(-limit);
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
    if (next === undefined || sizeOf(path) > position.offset) return;
    position.file = next;
    position.offset = 0;
  }
}

function toEntryFilter(filter: AuditFilter): (entry: AuditEntry) => boolean {
  const { principal, tool, code, decision, since, until } = filter;
  const aboutCalls = [principal, tool, code, decision].some((value) => value !== undefined);
  return (entry) => {
    if (since !== undefined && entry.at < since) return false;
    if (until !== undefined && entry.at >= until) return false;
    if ('note' in entry) return !aboutCalls;
    if (principal !== undefined && entry.principal !== principal) return false;
    if (tool !== undefined && entry.tool !== tool) return false;
    if (code !== undefined && entry.code !== code) return false;
    return decision === undefined || entry.decision === decision;
  };
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
