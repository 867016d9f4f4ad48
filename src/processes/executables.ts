import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** Search path for programs; the PATH of the environment is never used (binary planting). */
export const fixedPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Whether the path is an executable regular file. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** First executable of this name on the path, or undefined. */
export const findExecutable = (name: string, path: string = fixedPath): string | undefined =>
  path
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isExecutable);
