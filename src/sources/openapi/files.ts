import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Egress } from '../../net/egress-types.js';
import { documentBudget, readData, readDocument, type Document, type DocumentBudget, type Read } from './document.js';
import { isReference } from './references.js';
import { isRaw } from './values.js';

const mostNeighbours = 50;

/** The bytes of a regular file, or why they cannot be had. */
export async function readBytes(path: string, maxBytes: number): Promise<Read<{ readonly bytes: Buffer }>> {
  try {
    const facts = await stat(path);
    // A pipe or a device has no size and may never end.
    if (!facts.isFile()) return { ok: false, problem: 'the document is not a regular file' };
    if (facts.size > maxBytes) return { ok: false, problem: `the document is larger than ${maxBytes} bytes` };
    return { ok: true, bytes: await readFile(path) };
  } catch (error) {
    return {
      ok: false,
      problem: `the document cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown fault'})`,
    };
  }
}

/** The bytes behind an address, fetched through the guard. */
export async function fetchBytes(
  url: string,
  egress: Egress,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Read<{ readonly bytes: Buffer }>> {
  const answer = await egress.request({
    url,
    signal,
    maxResponseBytes: maxBytes,
    headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
  });
  if (answer.kind !== 'response') return { ok: false, problem: `the document cannot be fetched: ${answer.message}` };
  return answer.status === 200
    ? { ok: true, bytes: answer.body }
    : { ok: false, problem: `the document cannot be fetched: HTTP ${answer.status}` };
}

/** A document out of bytes, with the neighbours of its file where references to them are allowed. */
export async function documentOf(
  bytes: Uint8Array,
  options: {
    readonly url?: string;
    readonly file?: string;
    readonly allowNeighbours?: boolean;
    readonly budget?: DocumentBudget;
  },
): Promise<Read<{ readonly document: Document }>> {
  const { budget = documentBudget, url, file } = options;
  const read = readDocument(bytes, budget);
  if (!read.ok) return read;
  const { root, dialect, version } = read;
  const neighbours = new Map<string, Document>();
  const document: Document = { root, dialect, version, neighbours, ...(url !== undefined && { url }) };
  if (file !== undefined && options.allowNeighbours === true) {
    neighbours.set(basename(file), document);
    await addNeighbours(dirname(file), document, neighbours, budget);
  }
  return { ok: true, document };
}

async function addNeighbours(
  folder: string,
  first: Document,
  known: Map<string, Document>,
  budget: DocumentBudget,
): Promise<void> {
  const home = await realpath(folder);
  const todo = [first];
  const tried = new Set<string>();
  let bytes = 0;
  for (let document = todo.pop(); document !== undefined; document = todo.pop()) {
    for (const name of filesIn(document.root)) {
      if (known.has(name) || tried.has(name) || known.size > mostNeighbours) continue;
      tried.add(name);
      const path = await within(home, name);
      const content = path === undefined ? undefined : await readBytes(path, budget.maxBytes - bytes);
      if (content?.ok !== true) continue;
      bytes += content.bytes.length;
      const data = readData(content.bytes, budget);
      if (!data.ok || !isRaw(data.value)) continue;
      const neighbour: Document = {
        root: data.value,
        dialect: first.dialect,
        version: first.version,
        neighbours: known,
      };
      known.set(name, neighbour);
      todo.push(neighbour);
    }
  }
}

/** The real path of a neighbour, unless it is a way out of the folder: a link may lead anywhere. */
async function within(home: string, name: string): Promise<string | undefined> {
  try {
    const path = await realpath(join(home, name));
    return dirname(path) === home ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Names of files in the same folder that a document refers to; addresses, paths and hidden files are not among them. */
function filesIn(root: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  const todo: unknown[] = [root];
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
