import { Worker } from 'node:worker_threads';
import { packageFile } from '../../lib/package-file.js';
import { failure } from '../command-line.js';
import type { Io } from '../io.js';
import type { JobTarget, ScanJob, ScanMessage } from './job.js';
import { readLive } from './live.js';
import { resolveSource } from './source.js';

/** The part of the command line's surroundings that a scan needs, so that tests can pass a few functions. */
export type ScanIo = Pick<Io, 'out' | 'err' | 'json' | 'showsProgress' | 'signal'> & Partial<Pick<Io, 'env'>>;

// The built file, also under a test runner that loads TypeScript: worker threads need plain JavaScript, so tests build first.
const workerFile = packageFile('dist/cli/scan/thread.js');
/** Exit code of a process ended by SIGINT: 128 + 2. */
const interruptedCode = 130;
const failureCode = 2;

/** What to scan: a source or URL, or a reason why there is nothing. */
export interface WantedTarget {
  readonly name: string;
  readonly source?: string;
  readonly gap?: string;
  /** Headers for a URL. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A scan ends itself much sooner; code that defeats its budgets is stopped after this time, and the report states it. */
const maxTargetMs = 600_000;

/** Resolves the targets, scans them in a worker thread, prints the result and removes temporary files, also on an interrupt. */
export async function runScan(
  wanted: readonly WantedTarget[],
  job: ScanJobOptions,
  io: ScanIo,
  targetMs = maxTargetMs,
): Promise<number> {
  // Carriage return and "erase line": progress is drawn over itself and leaves nothing behind.
  const clearProgress = io.showsProgress ? () => io.err('\r\u001b[2K') : () => {};
  const onProgress = io.showsProgress ? (doing: string) => io.err(`\r\u001b[2K${doing} …`) : undefined;
  const refuse = (why: string): number => {
    clearProgress();
    return failure(job.verb === 'surface' ? 'surface' : 'scan', why, io, failureCode);
  };
  const resolved: ResolvedTarget[] = [];
  try {
    for (const each of wanted) {
      const target = await resolveTarget(each, io.signal, onProgress);
      if (io.signal.aborted) return interruptedCode;
      if (!('refused' in target)) resolved.push(target);
      // One target that cannot be read must not hide the results of the others.
      else if (wanted.length === 1) return refuse(target.refused);
      else resolved.push({ target: { name: each.name, gap: target.refused } });
    }
    clearProgress();
    const targets = resolved.map(({ target }) => target);
    let end = await runInWorker({ ...job, targets }, io.signal, targetMs, onProgress);
    // Each turn gives up one target, so that the others are still reported.
    while (typeof end === 'object' && 'late' in end && job.verb !== 'surface') {
      const { name } = targets[end.late] ?? { name: '' };
      targets[end.late] = { name, gap: `the analysis did not end within ${Math.ceil(targetMs / 1_000)} s` };
      end = await runInWorker({ ...job, targets }, io.signal, targetMs, onProgress);
    }
    clearProgress();
    if (end === 'interrupted') return interruptedCode;
    if ('late' in end) return refuse(`the analysis did not end within ${Math.ceil(targetMs / 1_000)} s`);
    // Show the given names instead of temporary paths.
    if ('refused' in end)
      return refuse(
        resolved.reduce((text, { target }) => text.replaceAll(target.path ?? '\u0000', target.name), end.refused),
      );
    io.out(end.text);
    return end.code;
  } finally {
    clearProgress();
    for (const { dispose } of resolved) await dispose?.();
  }
}

/** A target that is ready to scan, and how to remove what it put on disk. */
interface ResolvedTarget {
  readonly target: JobTarget;
  readonly dispose?: () => Promise<void>;
}

async function resolveTarget(
  { name, source, gap, headers = {} }: WantedTarget,
  signal: AbortSignal,
  onProgress?: (doing: string) => void,
): Promise<ResolvedTarget | { readonly refused: string }> {
  // Nothing to scan is still a target: the report lists it with its reason.
  if (source === undefined) return { target: { name, gap: gap ?? 'there is no source to analyse' } };
  if (/^https?:\/\//.test(source)) {
    if (!URL.canParse(source)) return { refused: `${JSON.stringify(source)} is not a valid URL` };
    onProgress?.(`reading ${source}`);
    const live = await readLive(source, headers, signal);
    return 'refused' in live ? live : { target: { name, live } };
  }
  const found = await resolveSource(source, { signal, onProgress });
  return 'refused' in found
    ? found
    : {
        // Dependencies of a registry package are not installed beside it, so they may be downloaded as well.
        target: { name, path: found.path, mayDownload: /^(?:npm|pypi):/.test(source) },
        dispose: () => found.dispose(),
      };
}

/** `Omit` on a union drops the discriminated members; this form applies it to each of them. */
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type ScanJobOptions = DistributiveOmit<ScanJob, 'targets'>;
type ScanOutcome =
  | Exclude<ScanMessage, { readonly doing: string } | { readonly begun: number }>
  /** The target that took too long. */
  | { readonly late: number }
  | 'interrupted';

/** Runs the analysis in a worker thread: it is CPU-bound, and this thread must still handle signals and progress. */
async function runInWorker(
  job: ScanJob,
  signal: AbortSignal,
  targetMs: number,
  onProgress?: (doing: string) => void,
): Promise<ScanOutcome> {
  if (signal.aborted) return 'interrupted';
  const thread = new Worker(workerFile, { workerData: job });
  let stop: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    // The first of result, interrupt, error and exit settles the promise; the later ones are ignored.
    return await new Promise<ScanOutcome>((resolve, reject) => {
      const begin = (late: number): void => {
        clearTimeout(timer);
        // Without source there is nothing that could take long, and giving it up again would never end.
        if (job.targets[late]?.gap === undefined) timer = setTimeout(() => resolve({ late }), targetMs);
      };
      stop = () => resolve('interrupted');
      signal.addEventListener('abort', stop, { once: true });
      begin(0);
      thread.on('message', (word: ScanMessage) => {
        if ('doing' in word) onProgress?.(word.doing);
        else if ('begun' in word) begin(word.begun);
        else resolve(word);
      });
      thread.on('error', (error: Error & { readonly code?: string }) =>
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve({ refused: outOfMemory }) : reject(error),
      );
      thread.on('exit', () => resolve({ refused: 'the scan worker exited unexpectedly' }));
    });
  } finally {
    clearTimeout(timer);
    if (stop) signal.removeEventListener('abort', stop);
    // Also after an interrupt: a worker that still analyses would keep the process alive.
    await thread.terminate();
  }
}

const outOfMemory = 'the scan ran out of memory; scan a part of the code, or raise --max-old-space-size';
