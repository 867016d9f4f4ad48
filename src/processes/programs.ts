import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findExecutable, fixedPath, isExecutable } from './tools.js';

/** A program found once and for all. */
export interface Program {
  readonly kind: 'program';
  /** Where it really is, with no symbolic link left in the path. */
  readonly path: string;
  /** The name it was found under, which some programs look at. */
  readonly found: string;
  /** The hash of its bytes; read on first use, so that finding a hundred programs costs nothing. */
  sha256(): Promise<string>;
}

/** Why a name leads to no program. */
export interface ProgramProblem {
  readonly kind: 'problem';
  readonly reason: 'not_found' | 'unsafe';
  readonly message: string;
}

const worldWritable = 0o002;

/** Finds a program on a fixed path and refuses one that any user of the machine could replace. */
export async function resolveProgram(name: string, path: string = fixedPath): Promise<Program | ProgramProblem> {
  if (name === '' || name.includes('\0') || (name.includes('/') && !isAbsolute(name))) {
    return problem('not_found', `${JSON.stringify(name)} is neither a program's name nor an absolute path`);
  }
  const found = isAbsolute(name) ? (isExecutable(name) ? name : undefined) : findExecutable(name, path);
  if (found === undefined) return problem('not_found', `${name} is not installed in ${path}`);
  const real = await realpath(found);
  // Both ways are checked: the folder of the link and the folder of the file can each be swapped.
  for (const start of new Set([found, real])) {
    for (let step = start; ; step = dirname(step)) {
      if (((await stat(step)).mode & worldWritable) !== 0)
        return problem('unsafe', `${step} can be written by every user`);
      if (step === dirname(step)) break;
    }
  }
  let hash: Promise<string> | undefined;
  return { kind: 'program', path: real, found, sha256: () => (hash ??= hashOf(real)) };
}

const problem = (reason: ProgramProblem['reason'], message: string): ProgramProblem => ({
  kind: 'problem',
  reason,
  message,
});

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
