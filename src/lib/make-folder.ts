import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeSystemError } from './system-error.js';

/**
 * Creates a folder with its parents, private to its owner. Not `recursive: true`: below a file system that cannot hold folders
 * (`/proc`), Node 20 never returns from that.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) {
    if (!statSync(path).isDirectory()) throw new Error(`${path} is a file, and a folder is needed there`);
    return;
  }
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path))
      throw new Error(`cannot create the folder ${path}: ${describeSystemError(error)}`, { cause: error });
  }
}
