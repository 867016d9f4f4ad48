import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditRecord } from '../../guards/audit.js';
import { lockFile, type LockFile } from '../../lib/lock-file.js';
import { describeSystemError } from '../../lib/system-error.js';
import { seal, type AuditNote } from './audit-entry.js';
import { encodeHead, fileName, HEAD_NAME, LOCK_NAME, type Head } from './audit-files.js';
import { repairTail, type Tail } from './audit-repair.js';

export type { AuditEntry } from './audit-entry.js';

/** When to call fdatasync: never (left to the system), once per batch, or after every record. */
type SyncPolicy = 'never' | 'batch' | 'always';

/** What a journal is opened with. */
export interface AuditLogOptions {
  readonly folder: string;
  readonly maxFileBytes?: number;
  readonly sync?: SyncPolicy;
  /** Delay before a retry after a failed write. */
  readonly retryMs?: number;
  /** Longest time until the head file follows the journal; 0 writes it with every batch. */
  readonly anchorMs?: number;
  /** Interval of the check that the open file was not deleted. */
  readonly checkEveryMs?: number;
  /** Called for every note, and once when writing starts to fail. */
  readonly onNote?: (
    note: AuditNote | { readonly note: 'failed'; readonly at: string; readonly detail: { readonly why: string } },
  ) => void;
  /** Write function; tests replace it to simulate a full disk. */
  readonly write?: (fd: number, data: Uint8Array) => number;
  /** Syncs a file to disk; fdatasync by default. */
  readonly syncFile?: (fd: number) => void;
}

/** Append-only journal: hash-chained lines, single writer, one write per event loop turn. */
export interface AuditLog {
  /** Why records cannot be written at the moment, if so; retries once the retry delay has passed. */
  problem(): string | undefined;
  /** Resolves when the record was written (synced to disk, with a sync policy); rejects otherwise. */
  append(record: AuditRecord): Promise<void>;
  /** Number and hash of the last record; stored elsewhere, they prove later that no earlier record changed. */
  head(): Head;
  /** Folder of this journal. */
  readonly folder: string;
  /** Passes on every line after it was written; one follower. */
  follow(follower: (lines: readonly WrittenLine[]) => void): void;
  /** Applies other settings from the next record on. */
  configure(settings: Required<Pick<AuditLogOptions, 'sync' | 'maxFileBytes'>>): void;
  /** Flushes pending records and releases the lock. */
  close(): void;
}

/** A line of the journal, without its line feed. */
export interface WrittenLine extends Head {
  readonly line: string;
}

/** An open journal, or why it cannot be opened. */
type AuditLogResult = { readonly ok: true; readonly log: AuditLog } | { readonly ok: false; readonly problem: string };

/** Records that are written together and succeed or fail together. */
interface Batch {
  readonly records: AuditRecord[];
  readonly written: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A batch that nothing waits for yet. */
function newBatch(): Batch {
  let resolve = (): void => {};
  let reject = (_error: Error): void => {};
  const written = new Promise<void>((onWritten, onFailed) => {
    resolve = onWritten;
    reject = onFailed;
  });
  return { records: [], written, resolve, reject };
}

/** Opens the journal in a folder and repairs a torn tail; fails if another process holds the lock. */
export function auditLog(options: AuditLogOptions): AuditLogResult {
  const { folder } = options;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const locked = lockFile(join(folder, LOCK_NAME));
    if (!locked.ok) return { ok: false, problem: `The audit journal is in use by ${locked.heldBy}` };
    try {
      return { ok: true, log: writer(options, repairTail(folder, new Date().toISOString()), locked.lock) };
    } catch (error) {
      // A journal that cannot be repaired must not stay locked.
      locked.lock.release();
      throw error;
    }
  } catch (error) {
    return { ok: false, problem: `Cannot open the audit journal: ${describeSystemError(error)}` };
  }
}

/** The writer of one journal; the lock guarantees that it is the only one. */
function writer(options: AuditLogOptions, tail: Tail, lock: LockFile): AuditLog {
  const { folder, retryMs = 1000, checkEveryMs: lookEveryMs = 1000, write = writeSync, onNote } = options;
  const { anchorMs = 200 } = options;
  const { syncFile = fdatasyncSync } = options;
  let { maxFileBytes = 67_108_864, sync = 'never' } = options;
  let anchor = openAnchor(folder);
  let { head, file, bytes } = tail;
  let fd = file > 0 ? openSync(join(folder, fileName(file)), 'a', 0o600) : -1;
  /** Set while a failed write may have left partial data after `bytes`. */
  let dirty = false;
  let pending: Batch[] = [];
  let scheduled = false;
  let anchorTimer: NodeJS.Timeout | undefined;
  let anchoredSeq = -1;
  let closed = false;
  let follower: ((lines: readonly WrittenLine[]) => void) | undefined;
  let checkedAt = performance.now();
  let failure: { readonly why: string; readonly since: string; triedAt: number; refused: number } | undefined;

  /** Detects that the open file was deleted, which would silently lose all writes; the chain continues in a new file. */
  const detectDeletion = (): readonly AuditNote[] => {
    if (fd < 0 || performance.now() - checkedAt < lookEveryMs) return [];
    checkedAt = performance.now();
    // nlink 0: the file was deleted while it was open.
    if (fstatSync(fd).nlink > 0 && fstatSync(anchor).nlink > 0) return [];
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    closeSync(anchor);
    anchor = openAnchor(folder);
    closeSync(fd);
    fd = -1;
    return [
      {
        note: 'lost',
        at: new Date().toISOString(),
        detail: { why: 'the journal was deleted while in use', to: head.seq, head: head.hash },
      },
    ];
  };

  /**
   * Writes number and hash of the last record to the head file. It may lag behind the journal by `anchorMs`: within that time after
   * the last record, a process that can write to the folder can cut off records without a trace in it (docs/decisions/0160).
   */
  const writeAnchor = (): void => {
    clearTimeout(anchorTimer);
    anchorTimer = undefined;
    if (anchoredSeq === head.seq) return;
    writeSync(anchor, encodeHead(head), 0, undefined, 0);
    anchoredSeq = head.seq;
  };
  const anchorLater = (): void => {
    if (anchorMs === 0) return writeAnchor();
    anchorTimer ??= setTimeout(() => {
      anchorTimer = undefined;
      try {
        writeAnchor();
      } catch (error) {
        recordFailure(error);
      }
    }, anchorMs).unref();
    return undefined;
  };

  /** Writes all lines or none; throws system errors. */
  const put = (records: readonly (AuditRecord | AuditNote)[]): void => {
    const deleted = detectDeletion();
    // A partial line of a failed write is removed, or the next record would be glued to it.
    if (dirty) {
      ftruncateSync(fd, bytes);
      dirty = false;
    }
    const starting = fd < 0 || bytes >= maxFileBytes;
    // Opened before anything changes, so that a full disk leaves the old file in use.
    const into = starting ? openSync(join(folder, fileName(file + 1)), 'a', 0o600) : fd;
    let { seq, hash: sum } = head;
    let text = '';
    const lines: WrittenLine[] = [];
    const add = (record: AuditRecord | AuditNote): void => {
      const sealed = seal(++seq, record, sum);
      sum = sealed.hash;
      text += `${sealed.line}\n`;
      if (follower !== undefined) lines.push({ seq, hash: sum, line: sealed.line });
    };
    if (starting) {
      if (fd >= 0) closeSync(fd);
      fd = into;
      file++;
      bytes = 0;
    }
    if (bytes === 0) add({ note: 'file', at: new Date().toISOString(), detail: { file, after: sum } });
    for (const record of [...deleted, ...records]) add(record);
    const data = Buffer.from(text);
    // Set until the write is complete: an exception leaves the mark.
    dirty = true;
    for (let written = 0; written < data.length;) written += write(fd, data.subarray(written));
    if (sync !== 'never') syncFile(fd);
    dirty = false;
    bytes += data.length;
    // Only now: a failed write must not advance the chain.
    head = { seq, hash: sum };
    // A new file, a note, and a journal that is synced to disk are rare or slow anyway: their head is written at once.
    if (starting || sync !== 'never' || deleted.length > 0) writeAnchor();
    else anchorLater();
    follower?.(lines);
    for (const note of deleted) onNote?.(note);
  };

  const recordFailure = (error: unknown): Error => {
    const triedAt = performance.now();
    // One note per outage, not one per record.
    if (failure) failure.triedAt = triedAt;
    else {
      failure = { why: describeSystemError(error), since: new Date().toISOString(), triedAt, refused: 0 };
      onNote?.({ note: 'failed', at: failure.since, detail: { why: failure.why } });
    }
    return new Error(`Cannot write the audit journal: ${failure.why}`, { cause: error });
  };

  // After an outage the first record is a note about the gap.
  const resume = (): void => {
    if (!failure) return;
    const note: AuditNote = {
      note: 'resumed',
      at: new Date().toISOString(),
      detail: { since: failure.since, why: failure.why, notRecorded: failure.refused },
    };
    put([note]);
    failure = undefined;
    onNote?.(note);
  };

  const writeBatch = ({ records, resolve, reject }: Batch): void => {
    try {
      resume();
      put(records);
    } catch (error) {
      const why = recordFailure(error);
      // Counted, so that the note can state how many records are missing.
      if (failure) failure.refused += records.length;
      reject(why);
      return;
    }
    resolve();
  };

  const flush = (): void => {
    scheduled = false;
    const batches = pending;
    pending = [];
    for (const batch of batches) writeBatch(batch);
  };

  // Notes of the repair are part of the chain.
  if (tail.notes.length > 0) put(tail.notes);
  for (const note of tail.notes) onNote?.(note);

  return {
    problem() {
      if (failure && performance.now() - failure.triedAt >= retryMs) {
        try {
          resume();
        } catch (error) {
          recordFailure(error);
        }
      }
      return failure && `Cannot write the audit journal: ${failure.why}`;
    },
    append(record) {
      if (closed) return Promise.reject(new Error('The audit journal is closed'));
      let batch = sync === 'always' ? undefined : pending.at(-1);
      if (batch === undefined) pending.push((batch = newBatch()));
      batch.records.push(record);
      // One write per turn of the event loop, however many calls end in it.
      if (!scheduled) {
        scheduled = true;
        setImmediate(flush);
      }
      return batch.written;
    },
    head: () => head,
    folder,
    follow: (next) => void (follower = next),
    configure(settings) {
      ({ sync, maxFileBytes } = settings);
    },
    close() {
      if (closed) return;
      // Records that are still pending belong to calls that have ended.
      flush();
      try {
        writeAnchor();
      } catch {
        // A disk that fails now was reported with the first record it did not take.
      }
      clearTimeout(anchorTimer);
      closed = true;
      if (fd >= 0) closeSync(fd);
      closeSync(anchor);
      lock.release();
    },
  };
}

/** Opens the head file; created if it is missing. */
const openAnchor = (folder: string): number =>
  openSync(join(folder, HEAD_NAME), constants.O_RDWR | constants.O_CREAT, 0o600);
