import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Module } from '../ir/nodes.js';
import { isCode, parsers, type Unparsed } from '../languages/index.js';
import { importsIn } from './imports.js';
import { moduleShelf } from './shelf.js';
import {
  addManifest,
  isManifest,
  noManifests,
  type Manifests,
  type NodeManifest,
  type PythonManifest,
} from './manifests.js';
import { readText, readTextAgain } from './read.js';
import type { Resolver } from './resolve.js';
import { withSiblings } from './siblings.js';
import { resolverOf, type Tree } from './tree.js';
import { walkFiles, type Skipped, type Walked } from './walk.js';

export interface ProjectLimits {
  readonly maxFiles: number;
  readonly maxDepth: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  /** How many tools, resources and prompts are followed through their code; further ones are listed. */
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
  /** Set for one part of a large tree, with whether another part was seen to register something. */
  readonly part?: { readonly elsewhere: boolean } | undefined;
}

/** A project without any code. */
export const noCode: Project = {
  modules: new Map(),
  node: [],
  python: [],
  skipped: [],
  resolve: () => undefined,
  bytes: 0,
};

/** How many bytes a file has. */
export function sizeOf(root: string, path: string): number {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}

/** Reads every source file under a root into the module model; what could not be read is listed, never silently dropped. */
export async function loadProject(root: string, limits: ProjectLimits = defaultLimits): Promise<Project> {
  return loadWalked(await walkFiles(root, limits), limits);
}

/** The same for files that were listed already. */
export async function loadWalked(walked: Walked, limits: ProjectLimits): Promise<Project> {
  const manifests = noManifests();
  const reader = modulesUnder(walked.root, walked.files, limits, (path, text) => addManifest(manifests, path, text));
  for (const path of walked.files) await reader.read(path);
  const siblings =
    walked.only === undefined ? [] : await withSiblings(walked.root, reader.modules, walked.only, reader.read);
  const resolve = resolverOf({ files: [...walked.files, ...siblings], manifests });
  return projectOf(reader, walked.skipped, manifests, {
    resolve,
    ...(walked.only === undefined ? {} : { only: walked.only }),
  });
}

/** Reads some files of a tree that was looked at before, as one part of it. */
export async function loadPart(
  tree: Tree,
  paths: readonly string[],
  part: NonNullable<Project['part']>,
  limits: ProjectLimits,
): Promise<Project> {
  const reader = modulesUnder(tree.root, paths, limits, () => {});
  for (const path of paths) await reader.read(path);
  return projectOf(reader, [], tree.manifests, { resolve: resolverOf(tree), part });
}

/** Reads one file of a tree and all that it imports from it, by any spelling that looks like an import, as if that stood alone. */
export async function loadReached(walked: Walked, entry: string, limits: ProjectLimits): Promise<Project> {
  const manifests = noManifests();
  for (const path of walked.files) {
    const file = isManifest(path) ? readText(join(walked.root, path), limits.maxFileBytes) : undefined;
    if (file && 'text' in file) addManifest(manifests, path, file.text);
  }
  const resolve = resolverOf({ files: walked.files, manifests });
  const reader = modulesUnder(walked.root, [], limits, () => {});
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
  return projectOf({ ...reader, modules }, [], manifests, { resolve, only: entry });
}

function projectOf(
  reader: Reader,
  before: readonly Skipped[],
  { node, python }: Manifests,
  rest: Pick<Project, 'resolve' | 'only' | 'part'>,
): Project {
  const { modules } = reader;
  const late = (known: readonly Skipped[]): Skipped[] => {
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
      return [...known, ...late(known)];
    },
    bytes: reader.bytes(),
    ...rest,
  };
}

/** Reads files one by one and keeps what they are made of. */
interface Reader {
  readonly modules: Map<string, Module>;
  readonly skipped: Skipped[];
  readonly bytes: () => number;
  readonly read: (path: string) => Promise<void>;
}

function modulesUnder(
  root: string,
  paths: readonly string[],
  limits: ProjectLimits,
  onManifest: (path: string, text: string) => void,
): Reader {
  const deadline = Date.now() + limits.timeoutMs;
  const modules = new Map<string, Module>();
  const skipped: Skipped[] = [];
  let bytes = 0;
  const { parse, prepare } = parsers();
  const allBytes = paths.reduce((sum, path) => sum + (isCode(path) ? sizeOf(root, path) : 0), 0);
  const shelf = moduleShelf(parse, deadline, allBytes);
  const read = async (path: string): Promise<void> => {
    if (!isManifest(path) && !isCode(path)) return;
    if (Date.now() > deadline || bytes > limits.maxTotalBytes) {
      skipped.push({ path, reason: bytes > limits.maxTotalBytes ? 'too-large' : 'timeout' });
      return;
    }
    const file = readText(join(root, path), limits.maxFileBytes);
    if ('reason' in file) {
      skipped.push({ path, reason: file.reason });
      return;
    }
    if (isManifest(path)) onManifest(path, file.text);
    if (!isCode(path)) return;
    bytes += file.text.length;
    const made = await shelved(path, file.text);
    if (typeof made === 'string') skipped.push({ path, reason: made });
    else modules.set(path, made);
    if (typeof made !== 'string' && made.partial) skipped.push({ path, reason: 'partial' });
  };
  const shelved = async (path: string, text: string): Promise<Module | Unparsed> => {
    for (;;) {
      const made = shelf(path, text, () => readTextAgain(join(root, path), limits.maxFileBytes));
      // What is read later is read without waiting: all that it may need is loaded by then.
      if (typeof made === 'string' ? made === 'unready' : made.unread) await prepare(path);
      if (made !== 'unready') return made;
    }
  };
  return { modules, skipped, bytes: () => bytes, read };
}
