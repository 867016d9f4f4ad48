import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aPlace } from '../support/toolgate.js';

/** A folder with these files, subfolders included, as a user would lay them out. */
export function aFolder(files: Readonly<Record<string, string>>): string {
  const folder = aPlace();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
