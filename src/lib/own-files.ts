import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Modules are joined into a few files when built, so the place of the code says nothing about the place of its files.
const root = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();

/** Where a file of this package lies, by its path in the package. */
export const ownFile = (path: string): string => join(root, path);
