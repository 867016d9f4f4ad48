import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENESIS, unseal } from './audit-entry.js';
import type { AuditNote } from './audit-entry.js';
import { fileName, fileNumbers, readHead, type Head } from './audit-files.js';

/** End of the journal after repair, and notes about the repair. */
export interface Tail {
  readonly head: Head;
  /** Number of the file to append to; 0 if there is none yet. */
  readonly file: number;
  readonly bytes: number;
  readonly notes: readonly AuditNote[];
}

/**
 * Finds the end of the journal. Bytes after the last complete line (torn write) are moved to a separate file; complete lines
 * are never removed, even with a wrong hash, since they are evidence.
 */
export function repairTail(folder: string, at: string): Tail {
  const notes: AuditNote[] = [];
  const known = readHead(folder);
  const numbers = fileNumbers(folder);
  let file = numbers.at(-1) ?? 0;
  let bytes = 0;
  let head: Head | undefined;
  for (const number of numbers.toReversed()) {
    const end = lastCompleteLine(join(folder, fileName(number)));
    if (end.torn.length > 0) {
      // Kept aside, not deleted: half a record may still be evidence.
      const tornFile = `${fileName(number)}.torn-${at.replaceAll(/[^0-9TZ]/g, '')}`;
      writeFileSync(join(folder, tornFile), end.torn, { mode: 0o600, flush: true });
      truncateFile(join(folder, fileName(number)), end.bytes);
      notes.push({ note: 'torn', at, detail: { file: fileName(number), bytes: end.torn.length, keptIn: tornFile } });
    }
    if (number === file) bytes = end.bytes;
    head = end.head;
    if (head) break;
  }
  const found = head ?? { seq: 0, hash: GENESIS };
  const lost = detectLoss(known, found, numbers.length > 0);
  if (lost) notes.push({ note: 'lost', at, detail: lost });
  return { head: found, file, bytes, notes };
}

/** What the head file proves to be missing. */
function detectLoss(known: Head | undefined, found: Head, hasFiles: boolean): AuditNote['detail'] | undefined {
  if (!known) return hasFiles && found.seq > 0 ? { why: 'the head file is missing or unreadable' } : undefined;
  // The head is ahead: records were cut off after they were written.
  if (known.seq > found.seq)
    return { why: 'the journal ended before its head', from: found.seq + 1, to: known.seq, head: known.hash };
  if (known.seq === found.seq && known.hash !== found.hash)
    return { why: 'the last record is not the one in the head file', head: known.hash };
  return undefined;
}

/** Last complete line of a file, its end, and the bytes after it; reads only as much of the file as needed. */
function lastCompleteLine(path: string): { readonly head?: Head; readonly bytes: number; readonly torn: Buffer } {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    // The window grows until a complete line is in it; lines may be long.
    for (let window = 262_144; ; window *= 4) {
      const start = Math.max(0, size - window);
      const data = Buffer.alloc(size - start);
      readSync(fd, data, 0, data.length, start);
      for (let end = data.lastIndexOf(10); end >= 0; end = end === 0 ? -1 : data.lastIndexOf(10, end - 1)) {
        const from = end === 0 ? 0 : data.lastIndexOf(10, end - 1) + 1;
        // The line may begin before the window.
        if (from === 0 && start > 0) break;
        const entry = unseal(data.toString('utf8', from, end));
        if (entry)
          return { head: { seq: entry.seq, hash: entry.hash }, bytes: start + end + 1, torn: data.subarray(end + 1) };
      }
      if (start === 0) return { bytes: 0, torn: data };
    }
  } finally {
    closeSync(fd);
  }
}

/** Cuts a file after its last complete line. */
function truncateFile(path: string, bytes: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}
