import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { findExecutable, fixedPath, isExecutable } from './executables.js';

/** A resolved program. */
export interface Program {
  readonly kind: 'program';
  /** Real path, without symbolic links. */
  readonly path: string;
  /** Path it was found under; some programs depend on their argv[0]. */
  readonly found: string;
  /** SHA-256 of the file; computed on first use, so that resolving many programs stays cheap. */
  sha256(): Promise<string>;
}

/** Reason why a name cannot be resolved to a program. */
export interface ProgramProblem {
  readonly kind: 'problem';
  readonly reason: 'not_found' | 'unsafe';
  readonly message: string;
}

const worldWritable = 0o002;

/** Finds a program on a fixed path; rejects one that other users could replace (world-writable path, binary planting). */
export async function resolveProgram(name: string, path: string = fixedPath): Promise<Program | ProgramProblem> {
  if (name === '' || name.includes('\0') || (name.includes('/') && !isAbsolute(name))) {
    return problem('not_found', `${JSON.stringify(name)} is neither the name of a program nor an absolute path`);
  }
  const found = isAbsolute(name) ? (isExecutable(name) ? name : undefined) : findExecutable(name, path);
  if (found === undefined) return problem('not_found', `${name} is not installed in ${path}`);
  const real = await realpath(found);
  // Checks both paths: the folders of the symbolic link and those of its target can each be replaced.
  for (const start of new Set([found, real])) {
    for (let step = start; ; step = dirname(step)) {
      if (((await stat(step)).mode & worldWritable) !== 0)
        return problem('unsafe', `${step} is writable by every user`);
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
