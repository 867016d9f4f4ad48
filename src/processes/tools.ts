import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where programs are looked for; the PATH of whoever started the gateway is never asked. */
export const fixedPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Whether this is a regular file that may be executed. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The first executable of this name on the path, or undefined. */
export const findExecutable = (name: string, path: string = fixedPath): string | undefined =>
  path
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, name))
    .find(isExecutable);
