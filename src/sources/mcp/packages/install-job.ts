import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isLockHeld } from '../../../lib/lock-file.js';
import { packageFile } from '../../../lib/package-file.js';
import { pause } from '../../../lib/pause.js';
import { startDetached } from '../../../processes/detached.js';
import type { InstallRequest } from './npm-package.js';

// Always the built file: plain Node starts it, so tests need a build first.
const jobFile = packageFile('dist/sources/mcp/packages/install-main.js');

/** Lock of the job that installs into a folder; its holder is the job, not the process that started it. */
export const installLock = (folder: string): string => `${folder}.lock`;
/** Why the last installation into a folder failed. */
export const installFailure = (folder: string): string => `${folder}.failed`;

const jobPollMs = 150;

/**
 * Installs a package in a process that outlives this one: a command that is interrupted, or a gateway that an assistant ends after
 * seconds, does not lose the work. Callers in other processes join the job that holds the lock. Returns a problem, or undefined.
 */
export async function installInJob(request: InstallRequest, signal?: AbortSignal): Promise<string | undefined> {
  const { folder, spec, timeoutMs } = request;
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const failure = installFailure(folder);
  if (!isLockHeld(installLock(folder))) rmSync(failure, { force: true });
  const job = startDetached(process.execPath, [jobFile], { input: JSON.stringify(request), env: jobEnv() });
  const deadline = performance.now() + timeoutMs + 30_000;
  for (;;) {
    if (existsSync(folder)) return undefined;
    const problem = readIfPresent(failure);
    if (problem !== undefined) return problem;
    // The job ends at once if another one holds the lock; then that one is waited for.
    if (job.hasEnded() && !isLockHeld(installLock(folder)) && !existsSync(folder))
      return readIfPresent(failure) ?? `the installation of ${spec} ended without a result`;
    if (performance.now() > deadline) return `the installation of ${spec} took longer than ${timeoutMs / 1000} s`;
    if (!(await pause(jobPollMs, signal))) return `${spec} is still being installed in the background`;
  }
}

/** The job gets none of the gateway's environment, which may hold secrets; that of the package manager is in the request. */
const jobEnv = (): Record<string, string> => {
  const libraries = process.env['LD_LIBRARY_PATH'];
  return libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries };
};

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
