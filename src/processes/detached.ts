import { spawn } from 'node:child_process';

/** A process that continues when this one ends. */
interface DetachedProcess {
  readonly pid: number | undefined;
  hasEnded(): boolean;
}

/** Starts a program in its own session, without pipes to this process except its input, which is written and closed at once. */
export function startDetached(
  file: string,
  args: readonly string[],
  { input, env }: { readonly input: string; readonly env: Readonly<Record<string, string>> },
): DetachedProcess {
  let ended = false;
  // In the root folder, so that it does not keep a file system busy.
  const child = spawn(file, args, { stdio: ['pipe', 'ignore', 'ignore'], env, cwd: '/', detached: true });
  child.on('exit', () => (ended = true)).on('error', () => (ended = true));
  // The program may end before it has read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  // The parent may exit while the program runs.
  child.unref();
  return { pid: child.pid, hasEnded: () => ended };
}
