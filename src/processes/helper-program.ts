import { execFile } from 'node:child_process';

/**
 * Runs a credential helper (a vault or keychain client) and returns its standard output. `{name}` in its arguments is replaced by
 * the name; without it the name is the last argument. The program inherits the environment of the gateway, as it needs the user's
 * session; no shell is involved, and neither output nor error text of the helper appears in messages.
 */
export function runHelper(
  argv: readonly string[],
  name: string,
  {
    env,
    timeoutMs,
    maxBytes,
  }: { readonly env: NodeJS.ProcessEnv; readonly timeoutMs: number; readonly maxBytes: number },
): Promise<string> {
  const [program = '', ...given] = argv;
  const args = given.some((word) => word.includes('{name}'))
    ? given.map((word) => word.replaceAll('{name}', name))
    : [...given, name];
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { env, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: maxBytes, encoding: 'utf8', windowsHide: true },
      (error, stdout) => {
        if (error === null) resolve(stdout.replace(/\r?\n$/, ''));
        else reject(new Error(`the secret helper failed for ${name}: ${helperFailure(error, timeoutMs)}`));
      },
    );
    child.stdin?.end();
  });
}

function helperFailure(error: Error & { code?: unknown; killed?: boolean }, timeoutMs: number): string {
  if (error.killed === true) return `no answer within ${timeoutMs / 1000} s`;
  if (error.code === 'ENOENT') return 'the program does not exist';
  if (error.code === 'EACCES') return 'the program cannot be executed';
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'its output is too long';
  return `exit code ${String(error.code)}`;
}
