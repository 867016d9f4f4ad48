import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Module } from '../ir/nodes.js';
import { isCode, parsers, type Unparsed } from '../languages/index.js';
import { importsIn } from './imports.js';
import { moduleCache } from './module-cache.js';
import {
  addManifest,
  isManifest,
  emptyManifests,
  type Manifests,
  type NodeManifest,
  type PythonManifest,
} from './manifests.js';
import { readText, readTextAgain } from './read-text.js';
import type { Resolver } from './resolve.js';
import { loadSiblings } from './siblings.js';
import { resolverOf, type Tree } from './tree.js';
import { locateFile, walkFiles, type Skipped, type WalkedFiles } from './walk.js';

/** Resource limits of a scan. */
export interface ProjectLimits {
  readonly maxFiles: number;
  readonly maxDepth: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  /** How many tools, resources and prompts are analysed; further ones are reported as gaps. */
  readonly maxTools: number;
  readonly timeoutMs: number;
}

export const defaultLimits: ProjectLimits = {
  maxFiles: 20_000,
  maxDepth: 40,
  maxFileBytes: 60_000_000,
  maxTotalBytes: 120_000_000,
  maxTools: 3_000,
  timeoutMs: 120_000,
};

/** The parsed modules and manifests under one root. */
export interface Project {
  /** In path order. */
  readonly modules: ReadonlyMap<string, Module>;
  readonly node: readonly NodeManifest[];
  readonly python: readonly PythonManifest[];
  /** Files that were not read, or only partly; parsing deferred bodies may add to it. */
  readonly skipped: readonly Skipped[];
  /** Resolves an import to a module path, or undefined for external modules. */
  readonly resolve: Resolver;
  readonly bytes: number;
  /** Set if a single file is scanned, together with its imports from the same folder. */
  readonly only?: string | undefined;
  /** Set for one part of a large tree; `elsewhere`: another part registers something. */
  readonly part?: { readonly elsewhere: boolean } | undefined;
}

/** A project without any code. */
export const emptyProject: Project = {
  modules: new Map(),
  node: [],
  python: [],
  skipped: [],
  resolve: () => undefined,
  bytes: 0,
};

/** The size of a file, 0 if it cannot be read. */
export function fileSize(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** Parses every source file under a root; unreadable files are listed in `skipped`, never silently dropped. */
export async function loadProject(root: string, limits: ProjectLimits = defaultLimits): Promise<Project> {
  return loadFiles(await walkFiles(root, limits), limits);
}

/** Loads files that are already listed. */
export async function loadFiles(walked: WalkedFiles, limits: ProjectLimits): Promise<Project> {
  const manifests = emptyManifests();
  const reader = moduleReader(walked, walked.files, limits, (path, text) => addManifest(manifests, path, text));
  for (const path of walked.files) await reader.read(path);
  const siblings =
    walked.only === undefined ? [] : await loadSiblings(walked.root, reader.modules, walked.only, reader.read);
  const resolve = resolverOf({ files: [...walked.files, ...siblings], manifests });
  return toProject(reader, walked.skipped, manifests, {
    resolve,
    ...(walked.only === undefined ? {} : { only: walked.only }),
  });
}

/** Loads one part of a surveyed tree. */
export async function loadPart(
  tree: Tree,
  paths: readonly string[],
  part: NonNullable<Project['part']>,
  limits: ProjectLimits,
): Promise<Project> {
  const reader = moduleReader(tree, paths, limits, () => {});
  for (const path of paths) await reader.read(path);
  return toProject(reader, [], tree.manifests, { resolve: resolverOf(tree), part });
}

/** Loads one file of a tree with its transitive imports as a separate project. */
export async function loadWithImports(walked: WalkedFiles, entry: string, limits: ProjectLimits): Promise<Project> {
  const manifests = emptyManifests();
  for (const path of walked.files) {
    const file = isManifest(path) ? readText(join(walked.root, path), limits.maxFileBytes) : undefined;
    if (file && 'text' in file) addManifest(manifests, path, file.text);
  }
  const resolve = resolverOf({ files: walked.files, manifests });
  const reader = moduleReader(walked, [], limits, () => {});
  const seen = new Set([entry]);
  for (const path of seen) {
    await reader.read(path);
    const module = reader.modules.get(path);
    for (const source of module ? importsIn(module.language, module.text) : []) {
      const found = resolve(path, source);
      if (found !== undefined) seen.add(found);
    }
  }
  const modules = new Map([...reader.modules].sort(([one], [other]) => (one < other ? -1 : 1)));
  return toProject({ ...reader, modules }, [], manifests, { resolve, only: entry });
}

function toProject(
  reader: ModuleReader,
  before: readonly Skipped[],
  { node, python }: Manifests,
  rest: Pick<Project, 'resolve' | 'only' | 'part'>,
): Project {
  const { modules } = reader;
  const partialModules = (known: readonly Skipped[]): Skipped[] => {
    const paths = new Set(known.map((each) => each.path));
    return [...modules.values()]
      .filter((module) => module.partial && !paths.has(module.path))
      .map(({ path }) => ({ path, reason: 'partial' }));
  };
  return {
    modules,
    node,
    python,
    get skipped() {
      const known = [...before, ...reader.skipped];
      return [...known, ...partialModules(known)];
    },
    bytes: reader.bytes(),
    ...rest,
  };
}

/** Reads and parses files one by one. */
interface ModuleReader {
  readonly modules: Map<string, Module>;
  readonly skipped: Skipped[];
  readonly bytes: () => number;
  readonly read: (path: string) => Promise<void>;
}

function moduleReader(
  tree: Pick<WalkedFiles, 'root' | 'mounts'>,
  paths: readonly string[],
  limits: ProjectLimits,
  onManifest: (path: string, text: string) => void,
): ModuleReader {
  const deadline = Date.now() + limits.timeoutMs;
  const modules = new Map<string, Module>();
  const skipped: Skipped[] = [];
  let bytes = 0;
  const { parse, prepare } = parsers();
  const allBytes = paths.reduce((sum, path) => sum + (isCode(path) ? fileSize(locateFile(tree, path)) : 0), 0);
  const cache = moduleCache(parse, deadline, allBytes);
  const read = async (path: string): Promise<void> => {
    if (!isManifest(path) && !isCode(path)) return;
    if (Date.now() > deadline || bytes > limits.maxTotalBytes) {
      skipped.push({ path, reason: bytes > limits.maxTotalBytes ? 'too-large' : 'timeout' });
      return;
    }
    const file = readText(locateFile(tree, path), limits.maxFileBytes);
    if ('reason' in file) {
      skipped.push({ path, reason: file.reason });
      return;
    }
    if (isManifest(path)) onManifest(path, file.text);
    if (!isCode(path)) return;
    bytes += file.text.length;
    const made = await parseIntoCache(path, file.text);
    if (typeof made === 'string') skipped.push({ path, reason: made });
    else modules.set(path, made);
    if (typeof made !== 'string' && made.partial) skipped.push({ path, reason: 'partial' });
  };
  const parseIntoCache = async (path: string, text: string): Promise<Module | Unparsed> => {
    for (;;) {
      const made = cache(path, text, () => readTextAgain(locateFile(tree, path), limits.maxFileBytes));
      // Deferred parsing is synchronous, so the grammar must be loaded now.
      if (typeof made === 'string' ? made === 'unready' : made.deferred) await prepare(path);
      if (made !== 'unready') return made;
    }
  };
  return { modules, skipped, bytes: () => bytes, read };
}
