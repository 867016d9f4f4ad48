import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { download, packageOf } from './package-download.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolgate-download-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** Only these programs are installed, each a shell script. */
async function installed(programs: Readonly<Record<string, string>>): Promise<void> {
  const bin = await mkdtemp(join(folder, 'bin-'));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  vi.stubEnv('PATH', bin);
}

async function downloaded(spec: string, signal = new AbortController().signal) {
  const wanted = packageOf(spec);
  if (!wanted) throw new Error(`${spec} is no package`);
  const into = await mkdtemp(join(folder, 'into-'));
  return { answer: await download(wanted, into, signal), files: await readdir(into) };
}

test('npm and pip say themselves why a package does not come', async () => {
  await installed({
    npm: 'echo "npm error code E404" >&2; echo "npm error 404 Not Found - demo" >&2; echo "npm error 404" >&2; exit 1',
    pip: 'echo "ERROR: Could not find a version" >&2; echo "ERROR: No matching distribution found for demo" >&2; exit 1',
  });
  expect((await downloaded('npm:demo@1.0.0')).answer?.refused).toBe(
    'npm could not download npm:demo@1.0.0: 404 Not Found - demo',
  );
  expect((await downloaded('pypi:demo==1')).answer?.refused).toMatch(
    /^pip could not download pypi:demo==1: No matching distribution found for demo \(only wheels are downloaded/,
  );
});

test('the output of a downloader cannot steer the terminal', async () => {
  await installed({ npm: `printf 'npm error \\033[2Jgone\\007\\n' >&2; exit 1` });
  expect((await downloaded('npm:demo')).answer?.refused).toBe('npm could not download npm:demo: [2Jgone');
});

test('pip3 serves where there is no pip, and the one that is missing is named', async () => {
  await installed({ pip3: 'echo wheel > demo-1-py3-none-any.whl' });
  expect(await downloaded('pypi:demo==1')).toEqual({ answer: undefined, files: ['demo-1-py3-none-any.whl'] });
  expect((await downloaded('npm:demo')).answer?.refused).toBe(
    'npm is needed to download npm:demo and is not installed',
  );
});

test('nothing of a package is run, whichever its registry', async () => {
  expect(packageOf('npm:demo')?.argumentsFor('.')).toContain('--ignore-scripts');
  expect(packageOf('pypi:demo')?.argumentsFor('.')).toContain('--only-binary=:all:');
});

test('an interrupted download ends', async () => {
  await installed({ npm: 'read forever' });
  const stop = new AbortController();
  const waiting = downloaded('npm:demo', stop.signal);
  stop.abort();
  expect((await waiting).files).toEqual([]);
});
