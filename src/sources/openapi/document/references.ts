import type { Document } from './parse.js';
import { isRawObject, ownField, type RawObject } from './fields.js';

/** A value and its document, the base of its references. */
export interface Located {
  readonly doc: Document;
  readonly value: unknown;
}

/** Machine-readable reason why a reference cannot be resolved. */
export type ReferenceProblem = 'external_ref_blocked' | 'unresolved_ref' | 'cyclic_ref';

/** The value behind a reference, or why there is none. */
type ResolveResult =
  | { readonly ok: true; readonly at: Located; readonly pointer?: string }
  | { readonly ok: false; readonly problem: ReferenceProblem; readonly ref: string };

/** Longer chains are cycles in practice. */
const maxChainLength = 32;

/** Whether a value is a reference object; a `$ref` that is not a string is data. */
export const isReference = (value: unknown): value is RawObject & { readonly $ref: string } =>
  isRawObject(value) && typeof ownField(value, '$ref') === 'string';

/** Follows a chain of references to a value; never loads documents, so unknown ones are blocked (SSRF, file disclosure). */
export function resolveReference(from: Located): ResolveResult {
  let at = from;
  let pointer: string | undefined;
  const seen = new Set<unknown>();
  while (isReference(at.value)) {
    const ref = at.value.$ref;
    if (seen.has(at.value) || seen.size >= maxChainLength) return { ok: false, problem: 'cyclic_ref', ref };
    seen.add(at.value);
    const next = followReference(at.doc, ref);
    if (!next.ok) return next;
    ({ at, pointer } = next);
  }
  return { ok: true, at, ...(pointer !== undefined && { pointer }) };
}

/** Follows a single reference. */
export function followReference(
  doc: Document,
  ref: string,
):
  | { readonly ok: true; readonly at: Located; readonly pointer: string }
  | { readonly ok: false; readonly problem: ReferenceProblem; readonly ref: string } {
  const hash = ref.indexOf('#');
  const file = hash === -1 ? ref : ref.slice(0, hash);
  const fragment = hash === -1 ? '' : ref.slice(hash + 1);
  // Known documents only: nothing is loaded here.
  const within = file === '' ? doc : (doc.siblings.get(file.replace(/^\.\//, '')) ?? namedSchemas(doc).ids.get(file));
  if (within === undefined)
    return doc.parent === undefined
      ? { ok: false, problem: 'external_ref_blocked', ref }
      : followReference(doc.parent, ref);
  const value =
    fragment === '' || fragment.startsWith('/')
      ? resolvePointer(within.root, fragment)
      : namedSchemas(within).anchors.get(fragment);
  // An embedded schema may refer to its enclosing document.
  if (value === undefined && doc.parent !== undefined) return followReference(doc.parent, ref);
  return value === undefined
    ? { ok: false, problem: 'unresolved_ref', ref }
    : { ok: true, at: { doc: within, value }, pointer: `${file === '' ? '' : file}#${fragment}` };
}

/** Resolves a JSON pointer through own properties only, so that it cannot reach a prototype (prototype pollution). */
function resolvePointer(root: unknown, fragment: string): unknown {
  if (fragment === '') return root;
  let value = root;
  for (const raw of fragment.slice(1).split('/')) {
    const key = decodeFragment(raw)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (key === undefined) return undefined;
    // Array indices are digits, so that `length` and methods are out of reach.
    value = Array.isArray(value) ? (/^\d{1,9}$/.test(key) ? value[Number(key)] : undefined) : ownField(value, key);
    if (value === undefined) return undefined;
  }
  return value;
}

/** A fragment without percent-encoding; invalid escapes stay as they are. */
function decodeFragment(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Schemas of a document by `$anchor` and by `$id`; an `$id` is a name and never fetched. */
interface NamedSchemas {
  readonly anchors: ReadonlyMap<string, unknown>;
  readonly ids: ReadonlyMap<string, Document>;
}

/** Names by document; the walk over a large one takes milliseconds. */
const namedSchemasCache = new WeakMap<Document, NamedSchemas>();

/** Anchors and ids of a document, collected once. */
function namedSchemas(doc: Document): NamedSchemas {
  let names = namedSchemasCache.get(doc);
  if (names === undefined) namedSchemasCache.set(doc, (names = collectNamedSchemas(doc)));
  return names;
}

/** Walks a document for anchors and ids. */
function collectNamedSchemas(doc: Document): NamedSchemas {
  const anchors = new Map<string, unknown>();
  const ids = new Map<string, Document>();
  const seen = new Set<unknown>();
  const todo: unknown[] = [doc.root];
  for (let value = todo.pop(); value !== undefined; value = todo.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const key of ['$anchor', '$dynamicAnchor']) {
      const anchor = ownField(value, key);
      if (typeof anchor === 'string') anchors.set(anchor, value);
    }
    const id = ownField(value, '$id');
    // References inside it are relative to it.
    if (typeof id === 'string' && id !== '' && isRawObject(value) && value !== doc.root)
      ids.set(id.replace(/#$/, ''), { ...doc, root: value, parent: doc });
    for (const [key, item] of Object.entries(value))
      if (!isDataKeyword(key) && typeof item === 'object' && item !== null) todo.push(item);
  }
  return { anchors, ids };
}

/** Whether a keyword contains data, in which `$ref` and `$id` have no meaning. */
export const isDataKeyword = (key: string): boolean =>
  key === 'example' ||
  key === 'examples' ||
  key === 'default' ||
  key === 'enum' ||
  key === 'const' ||
  key.startsWith('x-');
