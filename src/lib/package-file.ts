import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The build bundles modules into a few files, so the location of the code does not give the location of its assets.
const packageRoot = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();

/** Absolute path of a file of this package, by its path relative to package.json. */
export const packageFile = (path: string): string => join(packageRoot, path);
