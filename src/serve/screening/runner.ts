import { availableParallelism } from 'node:os';
import { ownFile } from '../../lib/own-files.js';
import { semaphore } from '../../lib/semaphore.js';
import type { Processes } from '../../processes/index.js';
import { readingApart } from './apart.js';
import type { Reading, ReadingOrder, Unread } from './reading.js';

// The built file, also under a test runner that reads TypeScript: plain Node must be able to start it, so tests build first.
const mainFile = ownFile('dist/serve/screening/main.js');
const maxReadingBytes = 32 * 1024 * 1024;

/** Reads the source of a server in a process of its own; one that takes too long, too much memory or breaks leaves it unread. */
export type ReadSource = (order: ReadingOrder & { readonly memoryMb: number }) => Promise<Reading | Unread>;

/** Readings, few at a time: a gateway with many sources must stay usable while they are read. */
export function sourceReader(
  processes: Pick<Processes, 'run' | 'tiers'>,
  onWeaker: (why: string) => void = () => {},
): ReadSource {
  let isTold = false;
  const slots = semaphore({
    slots: Math.max(1, Math.min(2, availableParallelism() - 1)),
    queue: 1_000,
    queueTimeoutMs: 3_600_000,
  });
  return async ({ memoryMb, ...order }) => {
    const entered = await slots.enter(new AbortController().signal);
    if (entered !== true && entered !== 'admitted') return { unread: 'too many sources wait to be read' };
    try {
      const { root, holding, weaker } = await readingApart(order.root, await processes.tiers());
      if (weaker !== undefined && !isTold) onWeaker(weaker);
      isTold ||= weaker !== undefined;
      const result = await processes.run(
        {
          ...holding,
          args: [`--max-old-space-size=${memoryMb}`, mainFile, JSON.stringify({ ...order, root })],
          limits: { openFiles: 256, cpuSeconds: Math.ceil(order.timeoutMs / 1000) + 30 },
        },
        { timeoutMs: order.timeoutMs + 5_000, maxStdoutBytes: maxReadingBytes, maxStderrBytes: 4_096, onCap: 'kill' },
      );
      if (result.kind === 'refused') return { unread: `its reading could not be started: ${result.message}` };
      if (result.timedOut) return { unread: `its reading took longer than ${order.timeoutMs / 1000} s` };
      if (result.truncatedStdout) return { unread: 'its reading gave more than can be kept' };
      if (result.code !== 0)
        return {
          unread: `its reading broke off (${result.signal ?? `exit code ${result.code}`}), for want of memory or by a fault`,
        };
      return JSON.parse(result.stdout.toString('utf8')) as Reading; // written by our own side
    } catch {
      return { unread: 'its reading could not be understood' };
    } finally {
      slots.leave();
    }
  };
}
