import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary.js';
import { defaultLimits } from '../project/load.js';
import { emptyManifests } from '../project/manifests.js';
import type { PartRequest } from './messages.js';
import { scanParts, type PoolOptions } from './pool.js';

const setting = {
  tree: { root: '/nowhere', files: [], manifests: emptyManifests() },
  limits: defaultLimits,
  heuristics: true,
  surfaceOnly: false,
};
const orders = ['a', 'b', 'c', 'd'].map((path): PartRequest => ({ paths: [path], elsewhere: false, deadline: 0 }));

/** A worker of our own making in place of the one that reads. */
async function withWorker(code: string, over: Partial<PoolOptions> = {}): Promise<readonly unknown[]> {
  const mainFile = join(temporaryFolder('pool'), 'main.mjs');
  await writeFile(
    mainFile,
    `import { parentPort } from 'node:worker_threads';\nparentPort.on('message', async ({ paths: [path] }) => {\n${code}\n});`,
  );
  return scanParts(orders, { setting, workers: 2, memoryMb: 32, timeoutMs: 60_000, mainFile, ...over });
}

test('answers come in the order of the requests, whichever is first', async () => {
  const code = `await new Promise((resolve) => setTimeout(resolve, path === 'a' ? 60 : 1)); parentPort.postMessage({ path });`;
  expect(await withWorker(code)).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }, { path: 'd' }]);
});

test.each<[string, string, string]>([
  [
    'throws',
    `if (path === 'b') throw new Error('x'); parentPort.postMessage({ path });`,
    'the scan worker exited unexpectedly',
  ],
  [
    'leaves',
    `if (path === 'b') process.exit(0); parentPort.postMessage({ path });`,
    'the scan worker exited unexpectedly',
  ],
  [
    'takes too much memory',
    `const kept = []; while (path === 'b') kept.push(new Array(1000).fill(path)); parentPort.postMessage({ path });`,
    'out of memory: it needs more than a scan may use',
  ],
])('a worker that %s fails its part, and the others are scanned', async (_what, code, failure) => {
  expect(await withWorker(code)).toEqual([{ path: 'a' }, { failure }, { path: 'c' }, { path: 'd' }]);
});

test('a worker that never comes to an end is ended', async () => {
  const code = `for (;;) if (path !== 'b') break; parentPort.postMessage({ path });`;
  const answers = await withWorker(code, { timeoutMs: 3_000 });
  expect(answers[1]).toEqual({ failure: 'the scan took too long' });
});

test('where no worker can be started, every part fails and nothing waits', async () => {
  const answers = await scanParts(orders, {
    setting,
    workers: 2,
    memoryMb: 32,
    timeoutMs: 60_000,
    mainFile: '/nowhere.js',
  });
  expect(answers).toEqual(orders.map(() => ({ failure: 'the scan worker exited unexpectedly' })));
});

test('a worker reads one part after another, or only one where each is to have its own', async () => {
  const counting = `globalThis.count = (globalThis.count ?? 0) + 1; parentPort.postMessage({ count: globalThis.count });`;
  expect(await withWorker(counting, { workers: 1 })).toEqual([1, 2, 3, 4].map((count) => ({ count })));
  expect(await withWorker(counting, { workers: 1, isFresh: true })).toEqual([1, 1, 1, 1].map((count) => ({ count })));
});
