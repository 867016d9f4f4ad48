import { Worker } from 'node:worker_threads';
import { ownFile } from '../../lib/own-files.js';
import type { PartAnswer, PartOrder, PartSetting } from './order.js';

// The built file, also under a test runner that reads TypeScript: plain Node must be able to start it, so tests build first.
const mainFile = ownFile('dist/scanner/parts/worker-main.js');

export interface PoolOptions {
  readonly setting: PartSetting;
  readonly workers: number;
  /** The most that the heap of one worker may hold; one that needs more ends, and its part is unfinished. */
  readonly memoryMb: number;
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
): Promise<readonly (PartAnswer | Broken)[]> {
  const answers: (PartAnswer | Broken)[] = [];
  let next = 0;
  const serve = async (): Promise<void> => {
    let worker: Worker | undefined;
    for (let at = next++; at < orders.length; at = next++) {
      const order = orders[at];
      if (!order) continue;
      worker ??= started(options);
      const answer = await asked(worker, order, options.timeoutMs);
      answers[at] = answer;
      onDone(order);
      if (!('broken' in answer)) continue;
      await worker.terminate();
      worker = undefined;
    }
    await worker?.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(options.workers, orders.length) }, serve));
  return answers;
}

function started({ setting, memoryMb, mainFile: file = mainFile }: PoolOptions): Worker {
  const worker = new Worker(file, {
    workerData: setting,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMb },
    stdin: false,
  });
  worker.setMaxListeners(0);
  return worker;
}

/** Room for what is made and thrown away: each megabyte counts three times in memory. */
const youngMb = 16;

function asked(worker: Worker, order: PartOrder, timeoutMs: number): Promise<PartAnswer | Broken> {
  return new Promise((resolve) => {
    const settle = (answer: PartAnswer | Broken): void => {
      clearTimeout(timer);
      worker.off('message', settle).off('error', fail).off('exit', end);
      resolve(answer);
    };
    const fail = (error: Error & { code?: string }): void =>
      settle({
        broken:
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? 'it needs more memory than a scan may take'
            : 'its reading broke off',
      });
    const end = (): void => settle({ broken: 'its reading broke off' });
    const timer = setTimeout(() => settle({ broken: 'its reading took too long' }), timeoutMs);
    worker.on('message', settle).on('error', fail).on('exit', end);
    worker.postMessage(order, []);
  });
}
