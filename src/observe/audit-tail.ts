import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GENESIS, unseal } from './audit-entry.js';
import type { AuditNote } from './audit-entry.js';
import { fileName, fileNumbers, readHead, type Head } from './audit-files.js';

/** Where writing goes on, and what had to be done or said first. */
export interface Tail {
  readonly head: Head;
  /** The file to go on with; 0 where there is none yet. */
  readonly file: number;
  readonly bytes: number;
  readonly notes: readonly AuditNote[];
}

/**
 * Finds where the journal in a folder ends. What follows the last whole line is put aside in a file of its own and cut off;
 * a line that is whole is never cut, even where its hash is wrong, since that is evidence.
 */
export function mendedTail(folder: string, at: string): Tail {
  const notes: AuditNote[] = [];
  const known = readHead(folder);
  const numbers = fileNumbers(folder);
  let file = numbers.at(-1) ?? 0;
  let bytes = 0;
  let head: Head | undefined;
  for (const number of numbers.toReversed()) {
    const end = lastWhole(join(folder, fileName(number)));
    if (end.torn.length > 0) {
      const aside = `${fileName(number)}.torn-${at.replaceAll(/[^0-9TZ]/g, '')}`;
      writeFileSync(join(folder, aside), end.torn, { mode: 0o600, flush: true });
      cut(join(folder, fileName(number)), end.bytes);
      notes.push({ note: 'torn', at, detail: { file: fileName(number), bytes: end.torn.length, keptIn: aside } });
    }
    if (number === file) bytes = end.bytes;
    head = end.head;
    if (head) break;
  }
  const found = head ?? { seq: 0, hash: GENESIS };
  const lost = whatIsLost(known, found, numbers.length > 0);
  if (lost) notes.push({ note: 'lost', at, detail: lost });
  return { head: found, file, bytes, notes };
}

function whatIsLost(known: Head | undefined, found: Head, hasFiles: boolean): AuditNote['detail'] | undefined {
  if (!known) return hasFiles && found.seq > 0 ? { why: 'the head file is missing or unreadable' } : undefined;
  if (known.seq > found.seq)
    return { why: 'the journal ended before its head', from: found.seq + 1, to: known.seq, head: known.hash };
  if (known.seq === found.seq && known.hash !== found.hash)
    return { why: 'the last record is not the one the head names', head: known.hash };
  return undefined;
}

/** The last whole line of a file, where it ends, and the bytes after it; looks at no more of the file than needed. */
function lastWhole(path: string): { readonly head?: Head; readonly bytes: number; readonly torn: Buffer } {
  const fd = openSync(path, 'r');
  try {
    const { size } = fstatSync(fd);
    for (let window = 262_144; ; window *= 4) {
      const start = Math.max(0, size - window);
      const data = Buffer.alloc(size - start);
      readSync(fd, data, 0, data.length, start);
      for (let end = data.lastIndexOf(10); end >= 0; end = end === 0 ? -1 : data.lastIndexOf(10, end - 1)) {
        const from = end === 0 ? 0 : data.lastIndexOf(10, end - 1) + 1;
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

function cut(path: string, bytes: number): void {
  const fd = openSync(path, 'r+');
  try {
    ftruncateSync(fd, bytes);
  } finally {
    closeSync(fd);
  }
}
