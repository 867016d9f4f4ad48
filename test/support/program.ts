import { buildSync } from 'esbuild';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A folder that is gone after the test. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A program for a real child process, written in TypeScript here; its imports are relative to the repository's root. */
export function aProgram(source: string): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  // Inside node_modules, so that the packages it names are found from there.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'program-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'program.mjs');
  buildSync({
    stdin: { contents: source, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  return outfile;
}
