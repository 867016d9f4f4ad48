import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const beside = join(dirname(fileURLToPath(import.meta.url)), '../../../shared');

/** Where a piece of the test data kept beside the repository lies, or undefined, with one line saying so, where it is absent. */
export function sharedPath(path: string): string | undefined {
  const full = join(beside, path);
  if (existsSync(full)) return full;
  console.log(`skipped: test data ${path} is not beside this checkout`);
  return undefined;
}
