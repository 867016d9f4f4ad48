import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditRecord } from '../guards/audit.js';
import { lockFile, type LockFile } from '../lib/lock-file.js';
import { seal, type AuditNote } from './audit-entry.js';
import { encodeHead, fileName, HEAD_NAME, LOCK_NAME, type Head } from './audit-files.js';
import { mendedTail, type Tail } from './audit-tail.js';

export type { AuditEntry, AuditNote } from './audit-entry.js';

/** When records are forced to the disk: by the system in its own time, once per batch, or each on its own. */
export type SyncPolicy = 'never' | 'batch' | 'always';

export interface AuditLogOptions {
  readonly folder: string;
  readonly maxFileBytes?: number;
  readonly sync?: SyncPolicy;
  /** How long after a failed write the next one is tried. */
  readonly retryMs?: number;
  /** How often it is checked that the file written to still has a name. */
  readonly lookEveryMs?: number;
  /** Called for every note the journal makes about itself, and once when writing begins to fail. */
  readonly onNote?: (
    note: AuditNote | { readonly note: 'failed'; readonly at: string; readonly detail: { readonly why: string } },
  ) => void;
  /** How bytes reach the file; a test puts a full disk here. */
  readonly write?: (fd: number, data: Uint8Array) => number;
}

/** The journal of this gateway: hash-chained lines, one writer, one write per turn of the event loop. */
export interface AuditLog {
  /** Why nothing can be recorded now, if so; asking tries again once the retry time has passed. */
  problem(): string | undefined;
  /** Resolves when the record is in the hands of the operating system (on the disk, with a sync policy); rejects otherwise. */
  append(record: AuditRecord): Promise<void>;
  /** The last record's number and hash: kept elsewhere, they prove later that nothing before them changed. */
  head(): Head;
  /** Writes what waits and lets the next writer in. */
  close(): void;
}

export type OpenedAuditLog =
  { readonly ok: true; readonly log: AuditLog } | { readonly ok: false; readonly problem: string };

interface Waiting {
  readonly record: AuditRecord;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Opens the journal in a folder, mending its tail; a second writer on the same folder is refused with a sentence. */
export function auditLog(options: AuditLogOptions): OpenedAuditLog {
  const { folder } = options;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const locked = lockFile(join(folder, LOCK_NAME));
    if (!locked.ok) return { ok: false, problem: `The audit journal is in use by ${locked.heldBy}` };
    try {
      return { ok: true, log: writer(options, mendedTail(folder, new Date().toISOString()), locked.lock) };
    } catch (error) {
      locked.lock.release();
      throw error;
    }
  } catch (error) {
    return { ok: false, problem: `The audit journal cannot be opened: ${reason(error)}` };
  }
}

function writer(options: AuditLogOptions, tail: Tail, lock: LockFile): AuditLog {
  const {
    folder,
    maxFileBytes = 67_108_864,
    sync = 'never',
    retryMs = 1000,
    lookEveryMs = 1000,
    write = writeSync,
    onNote,
  } = options;
  let anchor = openAnchor(folder);
  let { head, file, bytes } = tail;
  let fd = file > 0 ? openSync(join(folder, fileName(file)), 'a', 0o600) : -1;
  /** Bytes of a failed write may stand after `bytes` until they are cut off. */
  let dirty = false;
  let waiting: Waiting[] = [];
  let scheduled = false;
  let closed = false;
  let lookedAt = performance.now();
  let failure: { readonly why: string; readonly since: string; triedAt: number; refused: number } | undefined;

  /** A file deleted under our hands takes every write and keeps none; then the chain goes on in a new one. */
  const whatWasDeleted = (): readonly AuditNote[] => {
    if (fd < 0 || performance.now() - lookedAt < lookEveryMs) return [];
    lookedAt = performance.now();
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
        detail: { why: 'the journal was deleted while it was written', to: head.seq, head: head.hash },
      },
    ];
  };

  /** Writes all lines or none; throws where the system refuses. */
  const put = (records: readonly (AuditRecord | AuditNote)[]): void => {
    const deleted = whatWasDeleted();
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

  const failed = (error: unknown): Error => {
    const now = performance.now();
    if (failure) failure.triedAt = now;
    else {
      failure = { why: reason(error), since: new Date().toISOString(), triedAt: now, refused: 0 };
      onNote?.({ note: 'failed', at: failure.since, detail: { why: failure.why } });
    }
    return new Error(`The audit journal cannot be written: ${failure.why}`, { cause: error });
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

  const writeBatch = (batch: readonly Waiting[]): void => {
    try {
      resume();
      put(batch.map((each) => each.record));
    } catch (error) {
      const why = failed(error);
      if (failure) failure.refused += batch.length;
      for (const each of batch) each.reject(why);
      return;
    }
    for (const each of batch) each.resolve();
  };

  const flush = (): void => {
    scheduled = false;
    const batch = waiting;
    waiting = [];
    if (batch.length === 0) return;
    if (sync !== 'always') writeBatch(batch);
    else for (const each of batch) writeBatch([each]);
  };

  if (tail.notes.length > 0) put(tail.notes);
  for (const note of tail.notes) onNote?.(note);

  return {
    problem() {
      if (failure && performance.now() - failure.triedAt >= retryMs) {
        try {
          resume();
        } catch (error) {
          failed(error);
        }
      }
      return failure && `The audit journal cannot be written: ${failure.why}`;
    },
    append(record) {
      if (closed) return Promise.reject(new Error('The audit journal is closed'));
      return new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        if (scheduled) return;
        scheduled = true;
        setImmediate(flush);
      });
    },
    head: () => head,
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

/** What the system said, without the path it said it about. */
const reason = (error: unknown): string => {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
};
