import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ignoredFolders } from '../../scanner/project/walk.js';
import type { Gap } from '../../scanner/report.js';

/** Folders without code of the package itself: installed dependencies, compiled Python and git data. */
const expectedFolders = new Set(['node_modules', '__pycache__', '.git']);
// Both bounds keep a package with a huge tree from delaying its admission.
const maxFolders = 5_000;
const maxFound = 20;

/** Folders of a package that the scanner never enters; a package that ships one could hide code there. */
export async function findSkippedFolders(root: string): Promise<readonly Gap[]> {
  const found: Gap[] = [];
  const open = [root];
  for (let looked = 0; open.length > 0 && looked < maxFolders && found.length < maxFound; looked += 1) {
    const folder = open.pop() ?? root;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      // Symbolic links are not directories here, so that the walk cannot leave the package or loop.
      if (!entry.isDirectory() || expectedFolders.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (ignoredFolders.has(entry.name)) found.push({ file: relative(root, path), reason: 'folder not scanned' });
      else open.push(path);
    }
  }
  return found;
}
