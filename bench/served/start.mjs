import { spawn } from 'node:child_process';
import { openSync, closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { place } from '../mcp/process.mjs';

/**
 * Starts a server that sends its port. Its stderr goes to a file, as assistants and service managers do it: a log into
 * /dev/null would look cheaper than it is.
 */
export async function start(path, args = [], { nodeArgs = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-bench-'));
  const errors = openSync(join(folder, 'stderr'), 'w');
  const child = spawn(process.execPath, [...nodeArgs, place(path), ...args], {
    stdio: ['ignore', 'ignore', errors, 'ipc'],
    detached: true,
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, TOOLGATE_HOME: join(folder, 'home') },
  });
  closeSync(errors);
  const stop = () =>
    new Promise((resolve) => {
      const ended = () => {
        rmSync(folder, { recursive: true, force: true });
        resolve();
      };
      if (child.exitCode !== null || child.signalCode !== null) return ended();
      child.once('exit', ended);
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {}
      return undefined;
    });
  const timer = setTimeout(() => void stop(), 60_000);
  try {
    const { port } = await new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', (code) => reject(new Error(`${path} ended with ${code}`)));
    });
    clearTimeout(timer);
    return { port, pid: child.pid, errors: join(folder, 'stderr'), stop };
  } catch (error) {
    clearTimeout(timer);
    await stop();
    throw error;
  }
}
