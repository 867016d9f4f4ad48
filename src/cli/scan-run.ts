import { Worker } from 'node:worker_threads';
import { ownFile } from '../lib/own-files.js';
import type { Io } from './io.js';
import type { ScanJob, ScanWord } from './scan-job.js';
import { sourceOf } from './scan-source.js';

export type ScanIo = Pick<Io, 'out' | 'err' | 'showsProgress' | 'signal'>;

// The built file, also under a test runner that reads TypeScript: plain Node must be able to start it, so tests build first.
const threadFile = ownFile('dist/cli/scan-thread.js');
const interrupted = 130;
const unfinished = 2;

/** Finds what is to be read, reads it in a thread of its own, prints the outcome and tidies up, also when it is interrupted. */
export async function runScan(given: string, job: Jobs, io: ScanIo): Promise<number> {
  const wipe = io.showsProgress ? () => io.err('\r\u001b[2K') : () => {};
  const onProgress = io.showsProgress ? (doing: string) => io.err(`\r\u001b[2K${doing} …`) : undefined;
  const refuse = (why: string): number => {
    io.err(`toolgate: ${why}\n`);
    return unfinished;
  };
  const source = await sourceOf(given, { signal: io.signal, onProgress });
  wipe();
  if ('refused' in source) return io.signal.aborted ? interrupted : refuse(source.refused);
  try {
    const end = await ended({ ...job, path: source.path }, io.signal, onProgress);
    wipe();
    if (end === 'interrupted') return interrupted;
    // The path of a scratch folder tells the caller nothing.
    if ('refused' in end) return refuse(end.refused.replaceAll(source.path, given));
    io.out(end.text);
    return end.code;
  } finally {
    await source.dispose();
  }
}

type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
export type Jobs = Without<ScanJob, 'path'>;
type End = Exclude<ScanWord, { readonly doing: string }> | 'interrupted';

async function ended(job: ScanJob, signal: AbortSignal, onProgress?: (doing: string) => void): Promise<End> {
  if (signal.aborted) return 'interrupted';
  const thread = new Worker(threadFile, { workerData: job });
  let stop: (() => void) | undefined;
  try {
    return await new Promise<End>((resolve, reject) => {
      stop = () => resolve('interrupted');
      signal.addEventListener('abort', stop, { once: true });
      thread.on('message', (word: ScanWord) => ('doing' in word ? onProgress?.(word.doing) : resolve(word)));
      thread.on('error', (error: Error & { readonly code?: string }) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ refused: outOfMemory }) : reject(error),
      );
      thread.on('exit', () => resolve({ refused: 'the reading broke off' }));
    });
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}

const outOfMemory = 'the reading needs more memory than Node allows; scan a part of it, or raise --max-old-space-size';
