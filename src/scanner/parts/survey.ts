import { join, posix } from 'node:path';
import { mentionsRegistration } from '../evaluate/interpreter/registration-keywords.js';
import { isCode, languageOf } from '../languages/index.js';
import { importsByComputedName, importsIn } from '../project/imports.js';
import type { ProjectLimits } from '../project/load.js';
import { addManifest, isManifest, emptyManifests } from '../project/manifests.js';
import { readText } from '../project/read-text.js';
import { resolverOf, type Tree } from '../project/tree.js';
import type { Skipped, WalkedFiles } from '../project/walk.js';
import { isPythonMain, findEntryPoints } from '../surface/entry-points.js';
import { costOf } from './cost.js';
import type { PartFile } from './partition.js';

/** Imports, entry points and sizes of a large tree, collected without keeping its texts. */
export interface Survey {
  readonly tree: Tree;
  readonly files: readonly PartFile[];
  /** Paths of the entry points. */
  readonly entries: readonly string[];
  readonly skipped: readonly Skipped[];
  readonly bytes: number;
}

interface SurveyedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sources: readonly string[];
  readonly isOpen: boolean;
  readonly mayRegister: boolean;
  readonly isStarted: boolean;
}

const mentionsSdk = /modelcontextprotocol|fastmcp|\bmcp\b/i;

/** Reads every file of a tree once to find out which files belong together. */
export function surveyTree(walked: WalkedFiles, limits: ProjectLimits): Survey {
  const deadline = Date.now() + limits.timeoutMs;
  const manifests = emptyManifests();
  const skipped: Skipped[] = [...walked.skipped];
  const surveyedFiles: SurveyedFile[] = [];
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
      surveyedFiles.push(inspectFile(path, read.text));
    }
  }
  const tree: Tree = { root: walked.root, files: walked.files, manifests };
  const resolve = resolverOf(tree);
  const started = new Set(surveyedFiles.filter((file) => file.isStarted).map(({ path }) => path));
  const entries = findEntryPoints({
    manifests,
    resolve,
    paths: new Set(surveyedFiles.map(({ path }) => path)),
    isStarted: (path) => started.has(path),
  });
  const folders = filesByFolder(surveyedFiles);
  const files = surveyedFiles.map(({ path, bytes, sources, isOpen, mayRegister }): PartFile => {
    const named = sources.flatMap((source) => resolve(path, source) ?? []);
    // Modules imported by a computed name are assumed to be in the same folder or below.
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

function inspectFile(path: string, text: string): SurveyedFile {
  const language = languageOf(path);
  return {
    path,
    bytes: text.length,
    sources: importsIn(language, text).map(detachedCopy),
    isOpen: importsByComputedName(language, text),
    mayRegister: mentionsRegistration(text) || mentionsSdk.test(text),
    isStarted: language === 'python' && isPythonMain(path, text),
  };
}

/** Copies a substring, because V8 substrings keep the whole parent string alive. */
const detachedCopy = (piece: string): string => Buffer.from(piece, 'utf16le').toString('utf16le');

const maxFolder = 400;

/** The files in and below each folder; omits folders with too many files to be loaded by name. */
function filesByFolder(files: readonly SurveyedFile[]): ReadonlyMap<string, readonly string[]> {
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
