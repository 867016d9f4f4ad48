import { Worker } from 'node:worker_threads';
import { packageFile } from '../../lib/package-file.js';
import type { EncodedPartResult, PartRequest, PartSettings, SurveyRequest } from './messages.js';
import type { Survey } from './survey.js';

// The built file, also under a test runner that loads TypeScript: worker threads need plain JavaScript, so tests build first.
const workerFile = packageFile('dist/scanner/parts/worker-main.js');

/** Options of the worker pool. */
export interface PoolOptions {
  readonly setting: PartSettings;
  readonly workers: number;
  /** Heap limit of one worker; a worker that exceeds it is terminated and its part fails. */
  readonly memoryMb: number;
  /** Use a new worker for each part, because garbage of the previous part would still occupy the heap. */
  readonly isFresh?: boolean;
  /** Time limit for one part. */
  readonly timeoutMs: number;
  readonly mainFile?: string;
}

/** The reason why a part has no result. */
export interface PartFailure {
  readonly failure: string;
}

/**
 * Scans parts in worker threads and returns the results in request order. A worker that crashes or times out fails its
 * part and is replaced, so the scan always terminates.
 */
export async function scanParts(
  orders: readonly PartRequest[],
  options: PoolOptions,
  onDone: (order: PartRequest) => void = () => {},
): Promise<readonly (EncodedPartResult | PartFailure)[]> {
  const answers: (EncodedPartResult | PartFailure)[] = [];
  let next = 0;
  const runWorker = async (): Promise<void> => {
    let worker: Worker | undefined;
    for (let at = next++; at < orders.length; at = next++) {
      const order = orders[at];
      if (!order) continue;
      worker ??= startWorker(options.setting, options);
      const pendingAnswer = nextMessage<EncodedPartResult>(worker, options.timeoutMs);
      worker.postMessage(order, []);
      const answer = await pendingAnswer;
      answers[at] = answer;
      onDone(order);
      if (!('failure' in answer) && options.isFresh !== true) continue;
      await worker.terminate();
      worker = undefined;
    }
    await worker?.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, orders.length) }, runWorker));
  return answers;
}

/** Surveys a tree in a dedicated worker, so that its memory is released afterwards. */
export async function runSurvey(
  order: SurveyRequest,
  options: Omit<PoolOptions, 'setting' | 'workers'>,
): Promise<Survey | PartFailure> {
  const worker = startWorker(order, options);
  const answer = await nextMessage<Survey>(worker, options.timeoutMs);
  await worker.terminate();
  return answer;
}

/** Young generation size; V8 reserves three times this value (semi-spaces). */
const youngGenerationMb = 8;

function startWorker(
  workerData: PartSettings | SurveyRequest,
  options: Pick<PoolOptions, 'memoryMb' | 'mainFile'>,
): Worker {
  const worker = new Worker(options.mainFile ?? workerFile, {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: youngGenerationMb },
  });
  // Prevents an uncaught 'error' event from a worker that fails during termination.
  return worker.on('error', () => {});
}

const outOfMemory = 'out of memory: it needs more than a scan may use';
const exitedUnexpectedly = 'the scan worker exited unexpectedly';

/** Resolves with the next message of a worker, or with the reason why there is none. */
function nextMessage<T extends object>(worker: Worker, timeoutMs: number): Promise<T | PartFailure> {
  return new Promise((resolve) => {
    const settle = (answer: T | PartFailure): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', fail).off('exit', end);
      resolve(answer);
    };
    const fail = (error: Error & { readonly code?: string }): void =>
      settle({ failure: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory : exitedUnexpectedly });
    const end = (): void => settle({ failure: exitedUnexpectedly });
    const timer = setTimeout(() => settle({ failure: 'the scan took too long' }), timeoutMs);
    worker.on('message', settle).on('error', fail).on('exit', end);
  });
}
