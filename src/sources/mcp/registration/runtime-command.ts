import { basename } from 'node:path';
import { parseServerCommand, type WantedProblem, type WantedServer } from './server-command.js';

/** What runs a package or script. */
export const runtimes = ['uvx', 'npx', 'python', 'node', 'docker'] as const;
export type Runtime = (typeof runtimes)[number];

export const isRuntime = (text: string): text is Runtime => (runtimes as readonly string[]).includes(text);

const runtimeOfProgram: Readonly<Record<string, Runtime>> = {
  uvx: 'uvx',
  uv: 'uvx',
  pipx: 'uvx',
  npx: 'npx',
  bunx: 'npx',
  npm: 'npx',
  pnpm: 'npx',
  python: 'python',
  python3: 'python',
  node: 'node',
  docker: 'docker',
};

/**
 * Reads `runtime` and `command` as a pair: `uvx` with `["server"]` is `uvx server`. A command that repeats its runtime is complete;
 * one that names another contradicts it, and guessing would start the wrong program.
 */
export function parseRuntimeCommand(
  runtime: Runtime | undefined,
  words: readonly string[],
): WantedServer | WantedProblem {
  const [first = '', ...rest] = words;
  if (first === '') return { problem: 'the command is empty' };
  const named = runtimeOfProgram[basename(first.replaceAll('\\', '/')).replace(/\.(cmd|exe|bat)$/i, '')];
  if (runtime !== undefined && named !== undefined && named !== runtime)
    return { problem: `runtime ${runtime} and command ${first} contradict each other; keep one of them` };
  const isComplete = runtime === undefined || named === runtime;
  const [program, args] = isComplete ? [first, rest] : [runtime, words];
  // `docker image` is no command of docker; only containers that run can be servers.
  return parseServerCommand(program, program === 'docker' && args[0] !== 'run' ? ['run', ...args] : args);
}
