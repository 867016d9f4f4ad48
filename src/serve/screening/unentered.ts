import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { neverEntered } from '../../scanner/project/walk.js';
import type { Gap } from '../../scanner/report.js';

/** Folders that hold no code of a package where all is as it should be: what npm puts there, and what Python compiles. */
const expected = new Set(['node_modules', '__pycache__', '.git']);
const maxFolders = 5_000;
const maxFound = 20;

/** The folders of a package that a reader passes by; a package that ships one could keep there what nobody should see. */
export async function unentered(root: string): Promise<readonly Gap[]> {
  const found: Gap[] = [];
  const open = [root];
  for (let looked = 0; open.length > 0 && looked < maxFolders && found.length < maxFound; looked += 1) {
    const folder = open.pop() ?? root;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (!entry.isDirectory() || expected.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (neverEntered.has(entry.name)) found.push({ file: relative(root, path), reason: 'a folder that is not read' });
      else open.push(path);
    }
  }
  return found;
}
