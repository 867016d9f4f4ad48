import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditRecord } from '../guards/audit.js';
import { lockFile, type LockFile } from '../lib/lock-file.js';
import { describeSystemError } from '../lib/system-error.js';
import { seal, type AuditNote } from './audit-entry.js';
import { encodeHead, fileName, HEAD_NAME, LOCK_NAME, type Head } from './audit-files.js';
import { repairTail, type Tail } from './audit-repair.js';

export type { AuditEntry, AuditNote } from './audit-entry.js';

/** When to call fdatasync: never (left to the system), once per batch, or after every record. */
type SyncPolicy = 'never' | 'batch' | 'always';

export interface AuditLogOptions {
  readonly folder: string;
  readonly maxFileBytes?: number;
  readonly sync?: SyncPolicy;
  /** Delay before a retry after a failed write. */
  readonly retryMs?: number;
  /** Interval of the check that the open file was not deleted. */
  readonly checkEveryMs?: number;
  /** Called for every note, and once when writing starts to fail. */
  readonly onNote?: (
    note: AuditNote | { readonly note: 'failed'; readonly at: string; readonly detail: { readonly why: string } },
  ) => void;
  /** Write function; tests replace it to simulate a full disk. */
  readonly write?: (fd: number, data: Uint8Array) => number;
}

/** Append-only journal: hash-chained lines, single writer, one write per event loop turn. */
export interface AuditLog {
  /** Why records cannot be written at the moment, if so; retries once the retry delay has passed. */
  problem(): string | undefined;
  /** Resolves when the record was written (synced to disk, with a sync policy); rejects otherwise. */
  append(record: AuditRecord): Promise<void>;
  /** Number and hash of the last record; stored elsewhere, they prove later that no earlier record changed. */
  head(): Head;
  /** Applies other settings from the next record on. */
  configure(settings: Required<Pick<AuditLogOptions, 'sync' | 'maxFileBytes'>>): void;
  /** Flushes pending records and releases the lock. */
  close(): void;
}

type AuditLogResult = { readonly ok: true; readonly log: AuditLog } | { readonly ok: false; readonly problem: string };

interface PendingRecord {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
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
      locked.lock.release();
      throw error;
    }
  } catch (error) {
    return { ok: false, problem: `Cannot open the audit journal: ${describeSystemError(error)}` };
  }
}

function writer(options: AuditLogOptions, tail: Tail, lock: LockFile): AuditLog {
  const { folder, retryMs = 1000, checkEveryMs: lookEveryMs = 1000, write = writeSync, onNote } = options;
  let { maxFileBytes = 67_108_864, sync = 'never' } = options;
  let anchor = openAnchor(folder);
  let { head, file, bytes } = tail;
  let fd = file > 0 ? openSync(join(folder, fileName(file)), 'a', 0o600) : -1;
  /** Set while a failed write may have left partial data after `bytes`. */
  let dirty = false;
  let pendingRecords: PendingRecord[] = [];
  let scheduled = false;
  let closed = false;
  let checkedAt = performance.now();
  let failure: { readonly why: string; readonly since: string; triedAt: number; refused: number } | undefined;

  /** Detects that the open file was deleted, which would silently lose all writes; the chain continues in a new file. */
  const detectDeletion = (): readonly AuditNote[] => {
    if (fd < 0 || performance.now() - checkedAt < lookEveryMs) return [];
    checkedAt = performance.now();
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

  /** Writes all lines or none; throws system errors. */
  const put = (records: readonly (AuditRecord | AuditNote)[]): void => {
    const deleted = detectDeletion();
    if (dirty) {
      ftruncateSync(fd, bytes);
      dirty = false;
    }
    const starting = fd < 0 || bytes >= maxFileBytes;
    const into = starting ? openSync(join(folder, fileName(file + 1)), 'a', 0o600) : fd;
    let { seq, hash: sum } = head;
    let text = '';
    const add = (record: AuditRecord | AuditNote): void => {
      const sealed = seal(++seq, record, sum);
      sum = sealed.hash;
      text += `${sealed.line}\n`;
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
    dirty = true;
    for (let written = 0; written < data.length;) written += write(fd, data.subarray(written));
    if (sync !== 'never') fdatasyncSync(fd);
    writeSync(anchor, encodeHead({ seq, hash: sum }), 0, undefined, 0);
    dirty = false;
    bytes += data.length;
    head = { seq, hash: sum };
    for (const note of deleted) onNote?.(note);
  };

  const recordFailure = (error: unknown): Error => {
    const triedAt = performance.now();
    if (failure) failure.triedAt = triedAt;
    else {
      failure = { why: describeSystemError(error), since: new Date().toISOString(), triedAt, refused: 0 };
      onNote?.({ note: 'failed', at: failure.since, detail: { why: failure.why } });
    }
    return new Error(`Cannot write the audit journal: ${failure.why}`, { cause: error });
  };

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

  const writeBatch = (batch: readonly PendingRecord[]): void => {
    try {
      resume();
      put(batch.map(({ record }) => record));
    } catch (error) {
      const why = recordFailure(error);
      if (failure) failure.refused += batch.length;
      for (const { reject } of batch) reject(why);
      return;
    }
    for (const { resolve } of batch) resolve();
  };

  const flush = (): void => {
    scheduled = false;
    const batch = pendingRecords;
    pendingRecords = [];
    if (batch.length === 0) return;
    if (sync !== 'always') writeBatch(batch);
    else for (const pending of batch) writeBatch([pending]);
  };

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
      return new Promise((resolve, reject) => {
        pendingRecords.push({ record, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        setImmediate(flush);
      });
    },
    head: () => head,
    configure(settings) {
      ({ sync, maxFileBytes } = settings);
    },
    close() {
      if (closed) return;
      flush();
      closed = true;
      if (fd >= 0) closeSync(fd);
      closeSync(anchor);
      lock.release();
    },
  };
}

const openAnchor = (folder: string): number =>
  openSync(join(folder, HEAD_NAME), constants.O_RDWR | constants.O_CREAT, 0o600);
