import { isAbsolute, join } from 'node:path';
import { resolveProgram, type Program, type ProgramProblem } from '../../../processes/index.js';

/**
 * Finds uv: `UV` in the environment, the fixed path, the default folder of its installer, then `PATH` (venv, pyenv, Homebrew,
 * cargo). All of them must be safe from replacement by other users; the reason is reported if the only one found is not.
 */
export async function findUv(
  env: Readonly<Record<string, string | undefined>>,
  searchPath = '',
): Promise<Program | ProgramProblem> {
  const { UV: configured, HOME: home } = env;
  const candidates = [
    ...(configured === undefined || configured === '' ? [] : [configured]),
    'uv',
    ...(home === undefined ? [] : [join(home, '.local/bin/uv')]),
    ...searchPath
      .split(':')
      .filter(isAbsolute)
      .map((folder) => join(folder, 'uv')),
  ];
  let refused: string | undefined;
  for (const candidate of candidates) {
    const found = await resolveProgram(candidate);
    if (found.kind === 'program') return found;
    if (found.reason === 'unsafe' || candidate === configured) refused ??= `${candidate} is not used: ${found.message}`;
  }
  return {
    kind: 'problem',
    reason: refused === undefined ? 'not_found' : 'unsafe',
    message:
      refused === undefined
        ? 'uv is not installed; install it, or set UV to its path'
        : `uv is not installed in a trusted location: ${refused}`,
  };
}
