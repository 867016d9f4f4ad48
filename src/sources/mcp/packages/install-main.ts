import { existsSync, writeFileSync } from 'node:fs';
import { lockFile } from '../../../lib/lock-file.js';
import { processes } from '../../../processes/processes.js';
import { installFailure, installLock } from './install-job.js';
import { installNpm, type InstallRequest } from './npm-package.js';
import { installPython } from './python-package.js';

/** The program of an installation job: reads its request from stdin, installs under the lock, and leaves a result or a reason. */
async function main(): Promise<void> {
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  const request = JSON.parse(text) as InstallRequest; // written by the gateway of the same version
  const locked = lockFile(installLock(request.folder));
  // Another process installs it; its result is used.
  if (!locked.ok) return;
  const programs = processes({ bestEffort: true });
  try {
    // Checked again under the lock (double-checked).
    if (existsSync(request.folder)) return;
    const problem = await (request.kind === 'npm' ? installNpm : installPython)(request, programs);
    // The reason is left in a file, because the gateway may have been restarted meanwhile.
    if (problem !== undefined) writeFileSync(installFailure(request.folder), problem, { mode: 0o600 });
  } catch (error) {
    writeFileSync(installFailure(request.folder), error instanceof Error ? error.message : String(error), {
      mode: 0o600,
    });
  } finally {
    await programs.close();
    locked.lock.release();
  }
}

await main();
