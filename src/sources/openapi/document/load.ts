import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Egress } from '../../../net/egress/egress-types.js';
import {
  documentBudget,
  parseData,
  parseApiDocument,
  type Document,
  type DocumentBudget,
  type ReadResult,
} from './parse.js';
import { isReference } from './references.js';
import { isRawObject } from './fields.js';

/** Bound of files that one document may pull in. */
const maxSiblings = 50;

/** Reads a regular file within a size limit. */
export async function readDocumentBytes(
  path: string,
  maxBytes: number,
): Promise<ReadResult<{ readonly bytes: Buffer }>> {
  try {
    const facts = await stat(path);
    // A pipe or device has no size and may never end (denial of service).
    if (!facts.isFile()) return { ok: false, problem: 'the document is not a regular file' };
    if (facts.size > maxBytes) return { ok: false, problem: `the document is larger than ${maxBytes} bytes` };
    return { ok: true, bytes: await readFile(path) };
  } catch (error) {
    return {
      ok: false,
      problem: `the document cannot be read: ${describeReadError(error)}`,
    };
  }
}

/** An errno in words; paths are left out, since callers see the message. */
function describeReadError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'no such file';
  return code === 'EACCES' || code === 'EPERM' ? 'permission denied' : 'input/output error';
}

/** Fetches a document through the egress guard. */
export async function fetchDocumentBytes(
  url: string,
  egress: Egress,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadResult<{ readonly bytes: Buffer }>> {
  const response = await egress.request({
    url,
    signal,
    maxResponseBytes: maxBytes,
    headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
  });
  if (response.kind !== 'response')
    return { ok: false, problem: `the document cannot be fetched: ${response.message}` };
  return response.status === 200
    ? { ok: true, bytes: response.body }
    : { ok: false, problem: `the document cannot be fetched: HTTP ${response.status}` };
}

/** Parses a document; with `allowSiblings`, also loads the files of its folder that it refers to. */
export async function toDocument(
  bytes: Uint8Array,
  options: {
    readonly url?: string;
    readonly file?: string;
    readonly allowSiblings?: boolean;
    readonly budget?: DocumentBudget;
  },
): Promise<ReadResult<{ readonly document: Document }>> {
  const { budget = documentBudget, url, file } = options;
  const read = parseApiDocument(bytes, budget);
  if (!read.ok) return read;
  const { root, dialect, version } = read;
  const siblings = new Map<string, Document>();
  const document: Document = { root, dialect, version, siblings, ...(url !== undefined && { url }) };
  if (file !== undefined && options.allowSiblings === true) {
    // The document itself, so that a sibling can refer back to it.
    siblings.set(basename(file), document);
    await loadSiblings(dirname(file), document, siblings, budget);
  }
  return { ok: true, document };
}

/** Loads referenced files of the folder, with one budget for all of them. */
async function loadSiblings(
  folder: string,
  first: Document,
  known: Map<string, Document>,
  budget: DocumentBudget,
): Promise<void> {
  const realFolder = await realpath(folder);
  const todo = [first];
  // A file that failed is not tried again for each reference to it.
  const tried = new Set<string>();
  let bytes = 0;
  for (let document = todo.pop(); document !== undefined; document = todo.pop()) {
    for (const name of siblingReferences(document.root)) {
      if (known.has(name) || tried.has(name) || known.size > maxSiblings) continue;
      tried.add(name);
      const path = await resolveInFolder(realFolder, name);
      const content = path === undefined ? undefined : await readDocumentBytes(path, budget.maxBytes - bytes);
      if (content?.ok !== true) continue;
      bytes += content.bytes.length;
      const data = parseData(content.bytes, budget);
      // A broken sibling only makes the references to it unresolved.
      if (!data.ok || !isRawObject(data.value)) continue;
      const sibling: Document = {
        root: data.value,
        dialect: first.dialect,
        version: first.version,
        siblings: known,
      };
      known.set(name, sibling);
      todo.push(sibling);
    }
  }
}

/** Real path of a sibling file; undefined if a symbolic link leaves the folder (path traversal). */
async function resolveInFolder(home: string, name: string): Promise<string | undefined> {
  try {
    const path = await realpath(join(home, name));
    return dirname(path) === home ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Names of files in the same folder that a document refers to; excludes URLs, paths and hidden files. */
function siblingReferences(root: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const todo: unknown[] = [root];
  // Iterative, and each object once: documents may be deep and share parts.
  for (let value = todo.pop(); value !== undefined; value = todo.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isReference(value)) {
      const name = (value.$ref.split('#')[0] ?? '').replace(/^\.\//, '');
      if (/^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,200}\.(json|ya?ml)$/.test(name)) names.add(name);
    }
    for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) todo.push(item);
  }
  return names;
}
