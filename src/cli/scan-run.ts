import { Worker } from 'node:worker_threads';
import { packageFile } from '../lib/package-file.js';
import type { Io } from './io.js';
import type { ScanJob, ScanMessage } from './scan-job.js';
import { resolveSource } from './scan-source.js';

export type ScanIo = Pick<Io, 'out' | 'err' | 'showsProgress' | 'signal'>;

// The built file, also under a test runner that loads TypeScript: worker threads need plain JavaScript, so tests build first.
const workerFile = packageFile('dist/cli/scan-thread.js');
const interruptedCode = 130;
const failureCode = 2;

/** Resolves the source, scans it in a worker thread, prints the result and removes temporary files, also on an interrupt. */
export async function runScan(given: string, job: ScanJobOptions, io: ScanIo): Promise<number> {
  const clearProgress = io.showsProgress ? () => io.err('\r\u001b[2K') : () => {};
  const onProgress = io.showsProgress ? (doing: string) => io.err(`\r\u001b[2K${doing} …`) : undefined;
  const refuse = (why: string): number => {
    io.err(`toolgate: ${why}\n`);
    return failureCode;
  };
  const source = await resolveSource(given, { signal: io.signal, onProgress });
  clearProgress();
  if ('refused' in source) return io.signal.aborted ? interruptedCode : refuse(source.refused);
  try {
    const end = await runInWorker({ ...job, path: source.path }, io.signal, onProgress);
    clearProgress();
    if (end === 'interrupted') return interruptedCode;
    // Show the given name instead of a temporary path.
    if ('refused' in end) return refuse(end.refused.replaceAll(source.path, given));
    io.out(end.text);
    return end.code;
  } finally {
    await source.dispose();
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type ScanJobOptions = DistributiveOmit<ScanJob, 'path'>;
type ScanOutcome = Exclude<ScanMessage, { readonly doing: string }> | 'interrupted';

async function runInWorker(
  job: ScanJob,
  signal: AbortSignal,
  onProgress?: (doing: string) => void,
): Promise<ScanOutcome> {
  if (signal.aborted) return 'interrupted';
  const thread = new Worker(workerFile, { workerData: job });
  let stop: (() => void) | undefined;
  try {
    return await new Promise<ScanOutcome>((resolve, reject) => {
      stop = () => resolve('interrupted');
      signal.addEventListener('abort', stop, { once: true });
      thread.on('message', (word: ScanMessage) => ('doing' in word ? onProgress?.(word.doing) : resolve(word)));
      thread.on('error', (error: Error & { readonly code?: string }) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ refused: outOfMemory }) : reject(error),
      );
      thread.on('exit', () => resolve({ refused: 'the scan worker exited unexpectedly' }));
    });
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}

const outOfMemory = 'the scan ran out of memory; scan a part of the code, or raise --max-old-space-size';
