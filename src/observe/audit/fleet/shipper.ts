import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditArchive } from '../../../state/postgres/audit-archive.js';
import { unseal } from '../audit-entry.js';
import { fileName, fileNumbers, linesOf } from '../audit-files.js';
import type { AuditLog, WrittenLine } from '../audit-log.js';

/** Copies the journal of a replica to the archive of the fleet. */
export interface AuditShipper {
  /** Name of the journal in the archive; the same after a restart on the same folder. */
  readonly journal: string;
  /** Resolves when the lines up to this one are in the archive; rejects if they cannot be stored now. */
  shipped(seq: number): Promise<void>;
  problem(): string | undefined;
  /** Ships what is left, marks the journal as closed and ends. */
  close(): Promise<void>;
}

// One INSERT of this many lines stays well below the parameter limit of PostgreSQL.
const maxBatch = 500;
/** Lines in memory; beyond, they are read from the files again. */
const maxBuffered = 10_000;
const retryShipMs = 500;
// Shows that the replica is alive; a journal that is not touched counts as lost.
const touchMs = 20_000;

/**
 * Ships lines once per turn of the event loop. The local journal stays the source: after an outage or a crash, lines that the archive
 * lacks are read from its files.
 */
export function auditShipper(log: AuditLog, archive: AuditArchive, replica: string): AuditShipper {
  const journal = journalId(log.folder);
  let shippedSeq: number | undefined;
  let buffer: WrittenLine[] = [];
  /** Whether lines are missing in the buffer. */
  let isGap = true;
  let running: Promise<void> | undefined;
  let failure: string | undefined;
  let touchedAt = 0;
  const waiting: { readonly seq: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  const store = async (lines: readonly WrittenLine[]): Promise<void> => {
    for (let at = 0; at < lines.length; at += maxBatch) {
      const batch = lines.slice(at, at + maxBatch);
      await archive.append(journal, batch);
      // Advanced per batch, so that a failure in the middle repeats only what is left.
      shippedSeq = batch.at(-1)?.seq ?? shippedSeq;
      settle();
    }
  };
  const settle = (): void => {
    // Backwards, because resolved waiters are removed while iterating.
    for (let at = waiting.length - 1; at >= 0; at -= 1) {
      const waiter = waiting[at];
      if (waiter && waiter.seq <= (shippedSeq ?? 0)) {
        waiting.splice(at, 1);
        waiter.resolve();
      }
    }
  };
  const pump = async (): Promise<void> => {
    try {
      // Asked once: the archive returns the last line that it has of this journal.
      shippedSeq ??= await archive.begin(journal, replica);
      // A loop: lines that arrive while files are read can open a new gap.
      while (isGap) {
        isGap = false;
        for await (const lines of linesAfter(log.folder, shippedSeq)) await store(lines);
      }
      while (buffer.length > 0) {
        // Lines that were read from the files are in the buffer, too.
        const lines = buffer.filter(({ seq }) => seq > (shippedSeq ?? 0));
        buffer = [];
        await store(lines);
      }
      failure = undefined;
      settle();
    } catch (error) {
      // The buffer is dropped on failure: its lines are in the files, and memory stays bounded during an outage.
      buffer = [];
      isGap = true;
      failure = error instanceof Error ? error.message : String(error);
      // Waiting calls fail at once instead of holding their callers until the archive returns (fail closed).
      for (const { reject } of waiting.splice(0)) reject(new Error(`The audit archive is not available: ${failure}`));
    }
  };
  // One run at a time: concurrent appends would arrive out of order and break the chain.
  const run = (): Promise<void> => (running ??= pump().finally(() => (running = undefined)));
  let scheduled = false;
  log.follow((lines) => {
    // Backpressure: a slow archive must not grow the memory of the gateway.
    if (buffer.length + lines.length > maxBuffered) {
      buffer = [];
      isGap = true;
    } else buffer.push(...lines);
    if (scheduled || archive.isDown()) return;
    scheduled = true;
    // Batches all lines of one turn into one round trip.
    setImmediate(() => {
      scheduled = false;
      void run();
    });
  });
  void run();
  const timer = setInterval(() => {
    if (archive.isDown()) return;
    if (isGap || buffer.length > 0) void run();
    if (performance.now() - touchedAt < touchMs) return;
    touchedAt = performance.now();
    void archive.touch(journal, false).catch(() => {});
    // unref: a timer must not keep the process alive.
  }, retryShipMs).unref();

  return {
    journal,
    async shipped(seq) {
      // Already stored: no wait.
      if ((shippedSeq ?? 0) >= seq && shippedSeq !== undefined) return;
      if (archive.isDown()) throw new Error('The audit archive is not available');
      const done = new Promise<void>((resolve, reject) => waiting.push({ seq, resolve, reject }));
      await run();
      // A line that was written while a run was ending is not part of it.
      if (waiting.some((each) => each.seq <= seq)) void run();
      await done;
    },
    problem: () => failure && `The audit archive is not available: ${failure}`,
    async close() {
      clearInterval(timer);
      // Waits for the run that is under way, then ships what arrived meanwhile.
      await running;
      await run();
      // Marked closed only if everything was shipped; else verification must expect missing lines.
      await archive.touch(journal, failure === undefined).catch(() => {});
    },
  };
}

/** Complete lines of a journal after a number, from its files. */
async function* linesAfter(folder: string, seq: number): AsyncGenerator<readonly WrittenLine[]> {
  for (const number of fileNumbers(folder)) {
    for await (const lines of linesOf(join(folder, fileName(number)))) {
      const found = lines.flatMap(({ text, isComplete }) => {
        const entry = isComplete ? unseal(text) : undefined;
        return entry && entry.seq > seq ? [{ seq: entry.seq, hash: entry.hash, line: text }] : [];
      });
      if (found.length > 0) yield found;
    }
  }
}

/** Identifies a journal by a file in its folder: the name of a replica may change at each start. */
function journalId(folder: string): string {
  const path = join(folder, 'journal-id');
  try {
    // Exclusive creation (wx): two starts on one folder agree on one id.
    writeFileSync(path, randomUUID(), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(path, 'utf8').trim();
}
