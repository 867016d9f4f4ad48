import { lstat, realpath } from 'node:fs/promises';
import { join, posix, sep } from 'node:path';
import type { Module } from '../ir/nodes.js';
import { scriptCandidates } from './resolve.js';

const maxSiblings = 400;
const pythonImport = /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([^#\n)]*)|import[ \t]+([\w., \t]+))/gm;
const scriptImport = /(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["'](\.[^"'\n]{1,300})["']/g;

/** Candidate paths of the modules that a file imports from its folder or below. */
function importCandidates({ language, text, path }: Module): string[] {
  const folder = posix.dirname(path);
  if (language !== 'python')
    return [...text.matchAll(scriptImport)].flatMap(([, source = '']) => scriptCandidates(posix.join(folder, source)));
  const parts = [...text.matchAll(pythonImport)].flatMap(([, from, names = '', plain]) => {
    if (plain !== undefined) return plain.split(',').map((each) => each.trim().split(/\s/)[0] ?? '');
    const base = from ?? '';
    return [
      base,
      ...names.split(',').map((each) => `${base}${base.endsWith('.') ? '' : '.'}${each.trim().split(/\s/)[0] ?? ''}`),
    ];
  });
  return parts.flatMap((part) => {
    const dots = /^\.*/.exec(part)?.[0].length ?? 0;
    const base = dots === 0 ? '.' : posix.join(folder, ...Array.from({ length: dots - 1 }, () => '..'));
    const name = posix.join(base, part.slice(dots).split('.').filter(Boolean).join('/'));
    return [`${name}.py`, `${name}/__init__.py`];
  });
}

/** Loads the transitive imports of a single file from its folder; never reads anything above the folder. */
export async function loadSiblings(
  root: string,
  modules: ReadonlyMap<string, Module>,
  first: string,
  load: (path: string) => Promise<void>,
): Promise<readonly string[]> {
  const seen = new Set([first]);
  const found: string[] = [];
  for (const open = [first]; open.length > 0;) {
    const module = modules.get(open.shift() ?? '');
    for (const path of module ? importCandidates(module) : []) {
      if (seen.has(path) || path.startsWith('..') || found.length >= maxSiblings) continue;
      seen.add(path);
      if (!(await isFileInside(root, path))) continue;
      await load(path);
      found.push(path);
      open.push(path);
    }
  }
  return found;
}

async function isFileInside(root: string, path: string): Promise<boolean> {
  try {
    const real = await realpath(join(root, path));
    return real.startsWith(root + sep) && (await lstat(real)).isFile();
  } catch {
    return false;
  }
}
