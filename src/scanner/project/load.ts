import { lstat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { Module } from '../ir/nodes.js';
import { isCode, parserFor } from '../languages/index.js';
import { moduleShelf } from './shelf.js';
import { nodeManifest, pythonManifest, tsconfigPaths, type NodeManifest, type PythonManifest } from './manifests.js';
import { readText, readTextAgain } from './read.js';
import { pythonResolver, scriptResolver, type Resolver } from './resolve.js';
import { withSiblings } from './siblings.js';
import { walkFiles, type Skipped } from './walk.js';

export interface ProjectLimits {
  readonly maxFiles: number;
  readonly maxDepth: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  readonly timeoutMs: number;
}

export const defaultLimits: ProjectLimits = {
  maxFiles: 20_000,
  maxDepth: 40,
  maxFileBytes: 60_000_000,
  maxTotalBytes: 120_000_000,
  timeoutMs: 120_000,
};

/** Everything that was read under one root. */
export interface Project {
  /** In path order. */
  readonly modules: ReadonlyMap<string, Module>;
  readonly node: readonly NodeManifest[];
  readonly python: readonly PythonManifest[];
  /** What was not read, or not whole; a body that is read later may add to it. */
  readonly skipped: readonly Skipped[];
  /** The module that an import in a file means, or undefined when it means something outside the root. */
  readonly resolve: Resolver;
  readonly bytes: number;
  /** Set when a single file was asked for; what it imports from its own folder is read with it. */
  readonly only?: string | undefined;
}

/** How many bytes the files have together. */
async function sizeOf(root: string, files: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const path of files)
    bytes += await lstat(join(root, path)).then(
      ({ size }) => size,
      () => 0,
    );
  return bytes;
}

/** Reads every source file under a root into the module model; what could not be read is listed, never silently dropped. */
export async function loadProject(root: string, limits: ProjectLimits = defaultLimits): Promise<Project> {
  const walked = await walkFiles(root, limits);
  const deadline = Date.now() + limits.timeoutMs;
  const modules = new Map<string, Module>();
  const skipped: Skipped[] = [...walked.skipped];
  const node: NodeManifest[] = [];
  const python: PythonManifest[] = [];
  const paths = new Map<string, ReadonlyMap<string, readonly string[]>>();
  let bytes = 0;
  const parse = await parserFor(walked.files);
  const shelf = moduleShelf(parse, deadline, await sizeOf(walked.root, walked.files.filter(isCode)));
  const load = async (path: string): Promise<void> => {
    const name = posix.basename(path);
    const isManifest = /^(?:package\.json|tsconfig\.json|pyproject\.toml|setup\.(?:py|cfg)|entry_points\.txt)$/.test(
      name,
    );
    if (!isManifest && !isCode(path)) return;
    if (Date.now() > deadline || bytes > limits.maxTotalBytes) {
      skipped.push({ path, reason: bytes > limits.maxTotalBytes ? 'too-large' : 'timeout' });
      return;
    }
    const read = await readText(join(walked.root, path), limits.maxFileBytes);
    if ('reason' in read) {
      skipped.push({ path, reason: read.reason });
      return;
    }
    const folder = posix.dirname(path);
    if (name === 'package.json') {
      const manifest = nodeManifest(folder, read.text);
      if (manifest) node.push(manifest);
    } else if (name === 'tsconfig.json') paths.set(folder, tsconfigPaths(read.text));
    // Of an installed or built package, the folder beside the code tells how it is started.
    else if (isManifest)
      python.push(pythonManifest(name === 'entry_points.txt' ? posix.dirname(folder) : folder, read.text));
    if (!isCode(path)) return;
    bytes += read.text.length;
    const made = shelf(path, read.text, () => readTextAgain(join(walked.root, path), limits.maxFileBytes));
    if (typeof made === 'string') skipped.push({ path, reason: made });
    else modules.set(path, made);
    if (typeof made !== 'string' && made.partial) skipped.push({ path, reason: 'partial' });
  };
  const late = (): Skipped[] => {
    const known = new Set(skipped.map((each) => each.path));
    return [...modules.values()]
      .filter((module) => module.partial && !known.has(module.path))
      .map(({ path }) => ({ path, reason: 'partial' }));
  };
  for (const path of walked.files) await load(path);
  const siblings = walked.only === undefined ? [] : await withSiblings(walked.root, modules, walked.only, load);
  const files = new Set([...walked.files, ...siblings]);
  const script = scriptResolver(files, node, paths);
  const snake = pythonResolver(files);
  const resolve: Resolver = (from, source) => (from.endsWith('.py') ? snake(from, source) : script(from, source));
  return {
    modules,
    node,
    python,
    get skipped() {
      return [...skipped, ...late()];
    },
    resolve,
    bytes,
    ...(walked.only === undefined ? {} : { only: walked.only }),
  };
}
