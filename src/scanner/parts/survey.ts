import { join, posix } from 'node:path';
import { mentionsRegistration } from '../evaluate/relevance.js';
import { isCode, languageOf } from '../languages/index.js';
import { importsByComputedName, importsIn } from '../project/imports.js';
import type { ProjectLimits } from '../project/load.js';
import { addManifest, isManifest, noManifests } from '../project/manifests.js';
import { readText } from '../project/read.js';
import { resolverOf, type Tree } from '../project/tree.js';
import type { Skipped, Walked } from '../project/walk.js';
import { isStarted, startsIn } from '../surface/entries.js';
import { costOf } from './cost.js';
import type { PartFile } from './parts.js';

/** What a large tree holds, seen in one reading of which only this is kept. */
export interface Survey {
  readonly tree: Tree;
  readonly files: readonly PartFile[];
  /** What is started, by the path of its file. */
  readonly entries: readonly string[];
  readonly skipped: readonly Skipped[];
  readonly bytes: number;
}

interface Seen {
  readonly path: string;
  readonly bytes: number;
  readonly sources: readonly string[];
  readonly isOpen: boolean;
  readonly mayRegister: boolean;
  readonly isStarted: boolean;
}

const speaksOfSdk = /modelcontextprotocol|fastmcp|\bmcp\b/i;

/** Looks at every file of a tree once, to tell what belongs together. */
export function surveyOf(walked: Walked, limits: ProjectLimits): Survey {
  const deadline = Date.now() + limits.timeoutMs;
  const manifests = noManifests();
  const skipped: Skipped[] = [...walked.skipped];
  const seen: Seen[] = [];
  let bytes = 0;
  for (const path of walked.files) {
    if (!isCode(path) && !isManifest(path)) continue;
    if (Date.now() > deadline || bytes > limits.maxTotalBytes) {
      skipped.push({ path, reason: bytes > limits.maxTotalBytes ? 'too-large' : 'timeout' });
      continue;
    }
    const read = readText(join(walked.root, path), limits.maxFileBytes);
    if ('reason' in read) skipped.push({ path, reason: read.reason });
    else {
      if (isManifest(path)) addManifest(manifests, path, read.text);
      if (!isCode(path)) continue;
      bytes += read.text.length;
      seen.push(look(path, read.text));
    }
  }
  const tree: Tree = { root: walked.root, files: walked.files, manifests };
  const resolve = resolverOf(tree);
  const started = new Set(seen.filter((file) => file.isStarted).map(({ path }) => path));
  const entries = startsIn({
    manifests,
    resolve,
    paths: new Set(seen.map(({ path }) => path)),
    isStarted: (path) => started.has(path),
  });
  const folders = foldersOf(seen);
  const files = seen.map(({ path, bytes, sources, isOpen, mayRegister }): PartFile => {
    const named = sources.flatMap((source) => resolve(path, source) ?? []);
    // What is loaded by a computed name lies in its folder or below, as far as one can tell.
    const loaded = isOpen && posix.dirname(path) !== '.' ? (folders.get(posix.dirname(path)) ?? []) : [];
    return {
      path,
      cost: costOf(path, bytes),
      imports: [...new Set([...named, ...loaded])].filter((each) => each !== path),
      mayRegister,
    };
  });
  return { tree, files, entries: [...new Set(entries.map((entry) => entry.path))], skipped, bytes };
}

function look(path: string, text: string): Seen {
  const language = languageOf(path);
  return {
    path,
    bytes: text.length,
    sources: importsIn(language, text).map(detached),
    isOpen: importsByComputedName(language, text),
    mayRegister: mentionsRegistration(text) || speaksOfSdk.test(text),
    isStarted: language === 'python' && isStarted(path, text),
  };
}

/** A copy that does not keep the text alive out of which it was cut. */
const detached = (piece: string): string => Buffer.from(piece, 'utf16le').toString('utf16le');

const maxFolder = 400;

/** The files in each folder and below it; folders that hold too many to be loaded by name are left out. */
function foldersOf(files: readonly Seen[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path } of files) {
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) {
      const held = found.get(folder) ?? [];
      if (held.length <= maxFolder) held.push(path);
      found.set(folder, held);
    }
  }
  return new Map([...found].filter(([, held]) => held.length <= maxFolder));
}
