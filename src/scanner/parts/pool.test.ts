import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultLimits } from '../project/load.js';
import { noManifests } from '../project/manifests.js';
import type { PartOrder } from './order.js';
import { readParts, type PoolOptions } from './pool.js';

const setting = {
  tree: { root: '/nowhere', files: [], manifests: noManifests() },
  limits: defaultLimits,
  heuristics: true,
  surfaceOnly: false,
};
const orders = ['a', 'b', 'c', 'd'].map((path): PartOrder => ({ paths: [path], elsewhere: false, deadline: 0 }));

/** A worker of our own making in place of the one that reads. */
async function withWorker(code: string, over: Partial<PoolOptions> = {}): Promise<readonly unknown[]> {
  const mainFile = join(await mkdtemp(join(tmpdir(), 'toolgate-pool-')), 'main.mjs');
  await writeFile(
    mainFile,
    `import { parentPort } from 'node:worker_threads';\nparentPort.on('message', async ({ paths: [path] }) => {\n${code}\n});`,
  );
  return readParts(orders, { setting, workers: 2, memoryMb: 32, timeoutMs: 60_000, mainFile, ...over });
}

test('answers come in the order of what was asked, whoever is first', async () => {
  const code = `await new Promise((resolve) => setTimeout(resolve, path === 'a' ? 60 : 1)); parentPort.postMessage({ path });`;
  expect(await withWorker(code)).toEqual([{ path: 'a' }, { path: 'b' }, { path: 'c' }, { path: 'd' }]);
});

test.each<[string, string, string]>([
  ['throws', `if (path === 'b') throw new Error('x'); parentPort.postMessage({ path });`, 'its reading broke off'],
  ['leaves', `if (path === 'b') process.exit(0); parentPort.postMessage({ path });`, 'its reading broke off'],
  [
    'takes too much memory',
    `const kept = []; while (path === 'b') kept.push(new Array(1000).fill(path)); parentPort.postMessage({ path });`,
    'it needs more memory than a scan may take',
  ],
])('a worker that %s leaves its part broken, and the others are read', async (_what, code, broken) => {
  expect(await withWorker(code)).toEqual([{ path: 'a' }, { broken }, { path: 'c' }, { path: 'd' }]);
});

test('a worker that never comes to an end is ended', async () => {
  const code = `for (;;) if (path !== 'b') break; parentPort.postMessage({ path });`;
  const answers = await withWorker(code, { timeoutMs: 3_000 });
  expect(answers[1]).toEqual({ broken: 'its reading took too long' });
});

test('where no worker can be started, every part is broken and nothing waits', async () => {
  const answers = await readParts(orders, {
    setting,
    workers: 2,
    memoryMb: 32,
    timeoutMs: 60_000,
    mainFile: '/nowhere.js',
  });
  expect(answers).toEqual(orders.map(() => ({ broken: 'its reading broke off' })));
});

test('a worker reads one part after another, or only one where each is to have its own', async () => {
  const counting = `globalThis.count = (globalThis.count ?? 0) + 1; parentPort.postMessage({ count: globalThis.count });`;
  expect(await withWorker(counting, { workers: 1 })).toEqual([1, 2, 3, 4].map((count) => ({ count })));
  expect(await withWorker(counting, { workers: 1, isFresh: true })).toEqual([1, 1, 1, 1].map((count) => ({ count })));
});
