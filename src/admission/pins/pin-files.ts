import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile, type LockFile } from '../../lib/lock-file.js';
import type { Soon } from '../../lib/soon.js';
import { describeSystemError } from '../../lib/system-error.js';
import type { PinBook } from './pins.js';

/** Pin books by source, shared by the command line and running gateways. */
export interface PinStore {
  read(source: string): PinBook | undefined;
  all(): readonly PinBook[];
  /**
   * Replaces a book by what `change` makes of the stored one, undefined leaves it; atomic between processes, so a pin of one is never
   * lost to the write of another. Returns the stored book.
   */
  update(source: string, change: (book: PinBook | undefined) => PinBook | undefined): Soon<PinBook | undefined>;
  /** Reports books that another process has written. */
  watch(changed: (source: string) => void): () => void;
}

// The name of a source becomes a file name, so separators and dots are excluded (path traversal).
const pinFileName = /^([A-Za-z0-9_-]{1,64})\.json$/;
// Bound for parsing; a book of thousands of tools is far smaller.
const maxPinFileBytes = 64 * 1024 * 1024;
// A lock is held for one write; a longer wait means that its owner hangs.
const lockTimeoutMs = 2_000;

/** Readable pin files in a folder, one per source. An unreadable file is an error that stops the source: treating it as empty would pin anything. */
export function pinFiles(folder: string): PinStore {
  // Last text of each book, to distinguish writes of other processes from those of this one.
  const written = new Map<string, string>();
  const pathOf = (source: string): string => join(folder, `${source}.json`);

  const read = (source: string): PinBook | undefined => {
    const path = pathOf(source);
    // Not by `exists`, which follows links: a link to nowhere would be taken for no pins at all, and anything would be pinned.
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    try {
      const text = readFileSync(path, 'utf8');
      const book = parseBook(source, text);
      written.set(source, text);
      return book;
    } catch (error) {
      throw new Error(
        `${path} is damaged: ${describeDamage(error)}; restore it from a backup, or remove it to pin what ${source} offers now`,
        { cause: error },
      );
    }
  };

  return {
    read,
    update(source, change) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(source);
      const lock = waitForLock(`${path}.lock`);
      try {
        // Read under the lock: what was read before it may be outdated (lost update).
        const before = read(source);
        const book = change(before);
        const text = book && `${JSON.stringify(book, null, 2)}\n`;
        // An unchanged book is not written, because every write wakes the watchers of all gateways.
        if (book === undefined || text === undefined || written.get(source) === text) return before;
        written.set(source, text);
        // Written beside and renamed: a reader sees the old or the new book, never half of one.
        writeFileSync(`${path}.${process.pid}.new`, text, { mode: 0o600 });
        renameSync(`${path}.${process.pid}.new`, path);
        return book;
      } finally {
        lock.release();
      }
    },
    all: () =>
      (existsSync(folder) ? readdirSync(folder) : []).flatMap((file) => {
        const source = pinFileName.exec(file)?.[1];
        const book = source === undefined ? undefined : read(source);
        return book ? [book] : [];
      }),
    watch(changed) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const watcher = watch(folder, { persistent: false }, (_, file) => {
        const source = file === null ? undefined : pinFileName.exec(file)?.[1];
        if (source === undefined) return;
        // Compared by content: file systems report one write as several events.
        const before = written.get(source);
        try {
          read(source);
        } catch {
          return; // seen in the middle of a rename; the completed rename triggers another event
        }
        if (written.get(source) !== before) changed(source);
      });
      // The folder may disappear while it is watched; without a handler that would end the process.
      watcher.on('error', () => {});
      return () => watcher.close();
    },
  };
}

const isPinTable = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const describeDamage = (error: unknown): string => {
  if (error instanceof SyntaxError) return 'it is not valid JSON';
  return error instanceof Error && 'code' in error
    ? describeSystemError(error)
    : String(Reflect.get(Object(error), 'message'));
};

/** Parses a stored book; treating a damaged one as empty would pin anything. */
export function parseBook(source: string, text: string): PinBook {
  if (text.length > maxPinFileBytes) throw new Error(`the pin file of ${source} is too large`);
  const book = JSON.parse(text) as PinBook; // only the pin stores write there
  // A top-level check is enough: each entry is validated where it is used.
  if (typeof book !== 'object' || book === null || !isPinTable(book.pins) || !isPinTable(book.pending))
    throw new Error(`the pin file of ${source} is not valid`);
  return book;
}

/** Another process holds the lock for one write. */
function waitForLock(path: string): LockFile {
  const until = performance.now() + lockTimeoutMs;
  // Blocks the thread for some milliseconds: the interface is synchronous, and locks last one write.
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const locked = lockFile(path);
    if (locked.ok) return locked.lock;
    if (performance.now() > until) throw new Error(`the pins are being changed by ${locked.heldBy}; try again`);
    Atomics.wait(cell, 0, 0, 5);
  }
}
