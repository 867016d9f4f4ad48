// All temporary files of a test run go below one folder: the run fails if a test or the product leaves any behind, and the
// folder is removed in any case.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files that tools of the test run itself keep in the temporary folder. */
const ownedByTools = /^(?:node-compile-cache|v8-compile-cache.*|tsx-\d+|vitest.*)$/;

export default function runFolder(): () => void {
  const before = process.env['TMPDIR'];
  // Short, since paths of Unix sockets below it are limited to about 100 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'tg-'));
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const left = readdirSync(folder).filter((name) => !ownedByTools.test(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    process.exitCode = 1;
    throw new Error(`${left.length} temporary files or folders were left behind: ${left.join(', ')}`);
  };
}
