import { Worker } from 'node:worker_threads';
import { ownFile } from '../../lib/own-files.js';
import type { PackedAnswer, PartOrder, PartSetting, SurveyOrder } from './order.js';
import type { Survey } from './survey.js';

// The built file, also under a test runner that reads TypeScript: plain Node must be able to start it, so tests build first.
const mainFile = ownFile('dist/scanner/parts/worker-main.js');

export interface PoolOptions {
  readonly setting: PartSetting;
  readonly workers: number;
  /** The most that the heap of one worker may hold; one that needs more ends, and its part is unfinished. */
  readonly memoryMb: number;
  /** Whether each part has a worker of its own: what the last one left behind is still there when the next is read. */
  readonly isFresh?: boolean;
  /** How long one part may take altogether. */
  readonly timeoutMs: number;
  readonly mainFile?: string;
}

/** Why a part has no answer. */
export interface Broken {
  readonly broken: string;
}

/**
 * Reads parts in worker threads and gives the answers in the order of the orders, whoever was first. A worker that dies
 * or takes too long leaves its part broken and is replaced; nothing waits for ever.
 */
export async function readParts(
  orders: readonly PartOrder[],
  options: PoolOptions,
  onDone: (order: PartOrder) => void = () => {},
): Promise<readonly (PackedAnswer | Broken)[]> {
  const answers: (PackedAnswer | Broken)[] = [];
  let next = 0;
  const serve = async (): Promise<void> => {
    let worker: Worker | undefined;
    for (let at = next++; at < orders.length; at = next++) {
      const order = orders[at];
      if (!order) continue;
      worker ??= started(options.setting, options);
      const coming = answerOf<PackedAnswer>(worker, options.timeoutMs);
      worker.postMessage(order, []);
      const answer = await coming;
      answers[at] = answer;
      onDone(order);
      if (!('broken' in answer) && options.isFresh !== true) continue;
      await worker.terminate();
      worker = undefined;
    }
    await worker?.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, orders.length) }, serve));
  return answers;
}

/** Looks at a tree in a worker that ends with it. */
export async function surveyed(
  order: SurveyOrder,
  options: Omit<PoolOptions, 'setting' | 'workers'>,
): Promise<Survey | Broken> {
  const worker = started(order, options);
  const answer = await answerOf<Survey>(worker, options.timeoutMs);
  await worker.terminate();
  return answer;
}

/** Room for what is made and thrown away: each megabyte counts three times in memory. */
const youngMb = 8;

function started(workerData: PartSetting | SurveyOrder, options: Pick<PoolOptions, 'memoryMb' | 'mainFile'>): Worker {
  const worker = new Worker(options.mainFile ?? mainFile, {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb, maxYoungGenerationSizeMb: youngMb },
  });
  // A worker that breaks while it is being ended says so to nobody else.
  return worker.on('error', () => {});
}

const outOfMemory = 'it needs more memory than a scan may take';
const brokenOff = 'its reading broke off';

/** The next thing that a worker says, or why it says nothing more. */
function answerOf<T extends object>(worker: Worker, timeoutMs: number): Promise<T | Broken> {
  return new Promise((resolve) => {
    const settle = (answer: T | Broken): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', fail).off('exit', end);
      resolve(answer);
    };
    const fail = (error: Error & { readonly code?: string }): void =>
      settle({ broken: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory : brokenOff });
    const end = (): void => settle({ broken: brokenOff });
    const timer = setTimeout(() => settle({ broken: 'its reading took too long' }), timeoutMs);
    worker.on('message', settle).on('error', fail).on('exit', end);
  });
}
