import { readdirSync, readFileSync } from 'node:fs';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { MAX_LINE_BYTES } from './audit-entry.js';

/** Last record of the journal, stored in a separate file so that truncation is detected. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export const HEAD_NAME = 'head.json';
export const LOCK_NAME = 'lock';
/** Fixed size of the head file: overwritten in place within one page, so it is never half-written. */
const HEAD_BYTES = 128;

const FILE_NAME = /^(\d{6,12})\.jsonl$/;

export const fileName = (number: number): string => `${String(number).padStart(6, '0')}.jsonl`;

/** Numbers of the journal's files, oldest first; empty if the folder does not exist. */
export function fileNumbers(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

export const encodeHead = (head: Head): Buffer => Buffer.from(`${JSON.stringify(head).padEnd(HEAD_BYTES - 1)}\n`);

/** Reads the head; undefined if it is missing or unreadable. */
export function readHead(folder: string): Head | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, HEAD_NAME), 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { seq, hash } = value as Partial<Record<keyof Head, unknown>>; // narrowed field by field below
    return Number.isSafeInteger(seq) && typeof hash === 'string' ? { seq: Number(seq), hash } : undefined;
  } catch {
    return undefined;
  }
}

/** A line of a file and its position. */
export interface JournalLine {
  /** Without the line feed; '' if longer than any line the journal writes. */
  readonly text: string;
  readonly number: number;
  /** Byte offset of the next line. */
  readonly end: number;
  /** False for a last line without its line feed. */
  readonly isComplete: boolean;
}

/** Reads the lines of a file from a byte offset, with bounded memory. */
export async function* linesOf(path: string, start = 0): AsyncGenerator<readonly JournalLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  let tooLong = false;
  let end = start;
  let number = 0;
  for await (const chunk of createReadStream(path, { start, highWaterMark: 262_144 })) {
    const data: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const lines: JournalLine[] = [];
    let from = 0;
    for (let feed = data.indexOf(10, from); feed >= 0; feed = data.indexOf(10, from)) {
      end += feed + 1 - from;
      number++;
      lines.push({ text: tooLong ? '' : data.toString('utf8', from, feed), number, end, isComplete: true });
      tooLong = false;
      from = feed + 1;
    }
    rest = data.subarray(from);
    if (rest.length > MAX_LINE_BYTES) {
      end += rest.length;
      rest = Buffer.alloc(0);
      tooLong = true;
    }
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0 || tooLong)
    yield [
      { text: tooLong ? '' : rest.toString('utf8'), number: number + 1, end: end + rest.length, isComplete: false },
    ];
}
