import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

/** A file that was not read, and why; unknown is not safe, so every one of these is reported. */
export interface Skipped {
  readonly path: string;
  readonly reason:
    | 'too-large'
    | 'binary'
    | 'encoding'
    | 'unreadable'
    | 'outside-root'
    | 'too-many-files'
    | 'too-deep'
    | 'timeout'
    | 'partial';
}

export interface WalkLimits {
  readonly maxFiles: number;
  readonly maxDepth: number;
}

export interface Walked {
  /** The folder that every path is relative to. */
  readonly root: string;
  /** Set when a single file was asked for. */
  readonly only?: string | undefined;
  /** Relative paths with `/`, sorted. */
  readonly files: readonly string[];
  readonly skipped: readonly Skipped[];
}

/** Folders that are passed by: they hold the code of others or what tools leave behind. */
export const neverEntered: ReadonlySet<string> = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '__pycache__',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  'site-packages',
  '.next',
  '.turbo',
  '.cache',
  '.idea',
  '.vscode',
]);

/** Lists the files under a root in a fixed order, without leaving it: a link is followed only where it ends inside and was not seen before. */
export async function walkFiles(given: string, limits: WalkLimits): Promise<Walked> {
  const real = await realpath(given);
  if ((await lstat(real)).isFile())
    return { root: dirname(real), only: basename(real), files: [basename(real)], skipped: [] };
  const files: string[] = [];
  const skipped: Skipped[] = [];
  const seen = new Set([real]);
  const open: { readonly folder: string; readonly depth: number }[] = [{ folder: real, depth: 0 }];
  for (let at = open.pop(); at; at = open.pop()) {
    const { folder, depth } = at;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
    if (!entries) skipped.push({ path: inside(real, folder), reason: 'unreadable' });
    for (const entry of entries ?? []) {
      const path = join(folder, entry.name);
      const target = entry.isSymbolicLink()
        ? await linkTarget(path, real)
        : { path, isFolder: entry.isDirectory(), isFile: entry.isFile() };
      if (!target) skipped.push({ path: inside(real, path), reason: 'outside-root' });
      else if (target.isFolder && neverEntered.has(entry.name)) continue;
      else if (target.isFolder && depth >= limits.maxDepth)
        skipped.push({ path: inside(real, path), reason: 'too-deep' });
      else if (target.isFolder && !seen.has(target.path)) {
        seen.add(target.path);
        open.push({ folder: target.path, depth: depth + 1 });
      } else if (target.isFile && files.length < limits.maxFiles) files.push(inside(real, target.path));
      else if (target.isFile && skipped.at(-1)?.reason !== 'too-many-files')
        skipped.push({ path: inside(real, path), reason: 'too-many-files' });
      else if (!target.isFile && !target.isFolder) skipped.push({ path: inside(real, path), reason: 'unreadable' });
    }
  }
  return { root: real, files: [...new Set(files)].sort(), skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** A path relative to the root with `/` between its parts. */
export const inside = (root: string, path: string): string => relative(root, path).split(sep).join('/') || '.';

async function linkTarget(
  path: string,
  root: string,
): Promise<{ path: string; isFolder: boolean; isFile: boolean } | undefined> {
  try {
    const target = await realpath(path);
    if (!target.startsWith(root + sep)) return undefined;
    const stat = await lstat(target);
    return { path: target, isFolder: stat.isDirectory(), isFile: stat.isFile() };
  } catch {
    // A link to nowhere, or a loop of links.
    return undefined;
  }
}
