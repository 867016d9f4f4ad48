import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

/** A file that was not read, with the reason; always reported, because unknown is not safe. */
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

interface WalkLimits {
  readonly maxFiles: number;
  readonly maxDepth: number;
}

/** The files under a root. */
export interface WalkedFiles {
  /** The folder that all paths are relative to. */
  readonly root: string;
  /** Set if a single file is scanned. */
  readonly only?: string | undefined;
  /** Relative paths with `/`, sorted. */
  readonly files: readonly string[];
  readonly skipped: readonly Skipped[];
  /** Folders of dependencies outside the root, by the prefix of their paths (`node_modules/name`). */
  readonly mounts?: ReadonlyMap<string, string> | undefined;
}

/** Absolute path of a listed file. */
export function locateFile({ root, mounts }: Pick<WalkedFiles, 'root' | 'mounts'>, path: string): string {
  for (const [prefix, folder] of mounts ?? [])
    if (path.startsWith(`${prefix}/`)) return join(folder, path.slice(prefix.length + 1));
  return join(root, path);
}

/** Folders with dependencies, version control data or tool caches; never entered. */
export const ignoredFolders: ReadonlySet<string> = new Set([
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

/** Lists the files under a root, sorted; follows a link only if its target is inside the root and not yet visited (link cycles). */
export async function walkFiles(given: string, limits: WalkLimits): Promise<WalkedFiles> {
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
    if (!entries) skipped.push({ path: relativePath(real, folder), reason: 'unreadable' });
    for (const entry of entries ?? []) {
      const path = join(folder, entry.name);
      const target = entry.isSymbolicLink()
        ? await linkTarget(path, real)
        : { path, isFolder: entry.isDirectory(), isFile: entry.isFile() };
      if (!target) skipped.push({ path: relativePath(real, path), reason: 'outside-root' });
      else if (target.isFolder && ignoredFolders.has(entry.name)) continue;
      else if (target.isFolder && depth >= limits.maxDepth)
        skipped.push({ path: relativePath(real, path), reason: 'too-deep' });
      else if (target.isFolder && !seen.has(target.path)) {
        seen.add(target.path);
        open.push({ folder: target.path, depth: depth + 1 });
      } else if (target.isFile && files.length < limits.maxFiles) files.push(relativePath(real, target.path));
      else if (target.isFile && skipped.at(-1)?.reason !== 'too-many-files')
        skipped.push({ path: relativePath(real, path), reason: 'too-many-files' });
      else if (!target.isFile && !target.isFolder)
        skipped.push({ path: relativePath(real, path), reason: 'unreadable' });
    }
  }
  return { root: real, files: [...new Set(files)].sort(), skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** A path relative to the root, with `/` as separator. */
const relativePath = (root: string, path: string): string => relative(root, path).split(sep).join('/') || '.';

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
    // A dangling link or a link cycle.
    return undefined;
  }
}
