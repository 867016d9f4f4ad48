import { posix } from 'node:path';
import type { NodeManifest } from './manifests.js';

/** Resolves an import to a file of the project, or undefined for external modules. */
export type Resolver = (from: string, source: string) => string | undefined;

const suffixes = [
  '',
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.mjs',
  '.cjs',
  '.jsx',
  '/index.ts',
  '/index.tsx',
  '/index.mts',
  '/index.js',
  '/index.mjs',
  '/index.cjs',
  '/index.jsx',
];
const buildFolder = /^(.*?)\b(dist|build|lib|out|esm|cjs)\//;

/** Candidate files for a path with a missing or compiled extension, most likely first; none above the root. */
export function scriptCandidates(path: string): string[] {
  const clean = posix.normalize(path).replace(/^\.\//, '').replace(/\/$/, '');
  if (clean.startsWith('../')) return [];
  const swapped = clean.replace(/\.([mc]?)jsx?$/, '');
  return [
    ...suffixes.map((suffix) => clean + suffix),
    ...(swapped === clean ? [] : suffixes.slice(1).map((suffix) => swapped + suffix)),
  ];
}

/** Finds a JavaScript or TypeScript file by a path with a missing or compiled extension. */
export const findScript = (path: string, files: ReadonlySet<string>): string | undefined =>
  scriptCandidates(path).find((each) => files.has(each));

/** Finds the file of a manifest entry, or the source it is built from if the build output is absent. */
export function findEntry(folder: string, entry: string, files: ReadonlySet<string>): string | undefined {
  const path = posix.join(folder, entry);
  const found = findScript(path, files);
  if (found !== undefined || !buildFolder.test(path)) return found;
  const inner = posix.relative(folder, path).replace(/^(?:(?:dist|build|lib|out|esm|cjs|src)\/)+/, '');
  return findScript(posix.join(folder, 'src', inner), files) ?? findScript(posix.join(folder, inner), files);
}

/** Resolves JavaScript imports: relative paths, tsconfig `paths`, package `imports`, and workspace packages. */
export function scriptResolver(
  files: ReadonlySet<string>,
  manifests: readonly NodeManifest[],
  paths: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>,
): Resolver {
  return (from, source) => {
    if (source.startsWith('.')) return findScript(posix.join(posix.dirname(from), source), files);
    if (source.startsWith('/') || source.startsWith('node:')) return undefined;
    const manifest = nearestManifest(from, manifests);
    if (source.startsWith('#') && manifest)
      return resolveByPattern(
        source,
        manifest.folder,
        [...manifest.aliases].map(([key, value]) => [key, [value]]),
        files,
      );
    for (const [folder, table] of paths) {
      if (!isUnder(from, folder)) continue;
      const found = resolveByPattern(source, folder, [...table], files);
      if (found !== undefined) return found;
    }
    for (const each of manifests) {
      if (each.name === undefined || (source !== each.name && !source.startsWith(`${each.name}/`))) continue;
      const rest = source.slice(each.name.length + 1);
      if (rest) return findEntry(each.folder, rest, files) ?? findEntry(each.folder, `dist/${rest}`, files);
      for (const entry of each.entries) {
        const found = findEntry(each.folder, entry, files);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  };
}

const isUnder = (path: string, folder: string): boolean => folder === '.' || path.startsWith(`${folder}/`);

const nearestManifest = (from: string, manifests: readonly NodeManifest[]): NodeManifest | undefined =>
  manifests.filter((each) => isUnder(from, each.folder)).toSorted((a, b) => b.folder.length - a.folder.length)[0];

function resolveByPattern(
  source: string,
  folder: string,
  table: readonly (readonly [string, readonly string[]])[],
  files: ReadonlySet<string>,
): string | undefined {
  for (const [pattern, targets] of table) {
    const [head = '', tail] = pattern.split('*');
    if (tail === undefined ? source !== pattern : !(source.startsWith(head) && source.endsWith(tail))) continue;
    const middle = tail === undefined ? '' : source.slice(head.length, source.length - tail.length);
    for (const target of targets) {
      const found = findEntry(folder, target.replace('*', middle), files);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Resolves Python imports: relative by dots, absolute from the parent folders of the importing file, nearest first. */
export function pythonResolver(files: ReadonlySet<string>): Resolver {
  const bySuffix = new Map<string, string>();
  for (const file of files) {
    if (!file.endsWith('.py')) continue;
    const parts = file.replace(/(?:\/__init__)?\.py$/, '').split('/');
    for (let from = 0; from < parts.length - 1; from += 1) {
      const key = parts.slice(from).join('/');
      if (!bySuffix.has(key)) bySuffix.set(key, file);
    }
  }
  const find = (path: string): string | undefined => {
    const clean = posix.normalize(path);
    if (clean.startsWith('..')) return undefined;
    if (files.has(`${clean}.py`)) return `${clean}.py`;
    return files.has(`${clean}/__init__.py`) ? `${clean}/__init__.py` : undefined;
  };
  return memoised((from, source) => {
    const dots = /^\.*/.exec(source)?.[0].length ?? 0;
    const parts = source.slice(dots).split('.').filter(Boolean).join('/');
    let folder = posix.dirname(from);
    if (dots > 0) {
      for (let up = 1; up < dots; up += 1) folder = posix.dirname(folder);
      return parts
        ? find(posix.join(folder, parts))
        : files.has(posix.join(folder, '__init__.py'))
          ? posix.join(folder, '__init__.py')
          : undefined;
    }
    for (;;) {
      const found = find(posix.join(folder, parts)) ?? find(posix.join(folder, 'src', parts));
      if (found !== undefined) return found;
      if (folder === '.' || folder === '/') break;
      folder = posix.dirname(folder);
    }
    const installed = find(posix.join('site-packages', parts));
    if (installed !== undefined) return installed;
    // A package outside the parent folders (a sibling src layout) is found by its path suffix.
    return parts.includes('/') ? bySuffix.get(parts) : undefined;
  });
}

const maxMemoised = 50_000;

/** Caches results per folder and import, since a function with an import in it may be evaluated thousands of times. */
function memoised(resolve: Resolver): Resolver {
  const known = new Map<string, string | undefined>();
  return (from, source) => {
    const key = `${posix.dirname(from)}\u0000${source}`;
    if (known.has(key)) return known.get(key);
    const found = resolve(from, source);
    if (known.size < maxMemoised) known.set(key, found);
    return found;
  };
}
