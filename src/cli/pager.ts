import { spawn } from 'node:child_process';
import type { Io } from './io.js';

/** Shows a text in `less` on a terminal that it does not fit, else prints it. The text must be free of control characters. */
export async function showPaged(text: string, io: Pick<Io, 'out' | 'isTTY' | 'env'>): Promise<void> {
  const rows = process.stdout.rows ?? 24;
  const isShort = text.split('\n').length < rows;
  if (!io.isTTY || isShort || io.env['PAGER'] === '' || !(await pageWith('less', text, io.env))) io.out(text);
}

/** False if the pager cannot be started. Secure mode: text of an untrusted server must not lead to a command in the pager. */
function pageWith(program: string, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  return new Promise((resolve) => {
    const pager = spawn(program, ['-F', '-X'], {
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...env, LESSSECURE: '1' },
    });
    pager.on('error', () => resolve(false));
    pager.on('close', () => resolve(true));
    // The pager may be left before it has read everything.
    pager.stdin?.on('error', () => {});
    pager.stdin?.end(text);
  });
}
