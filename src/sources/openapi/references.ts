import type { Document } from './document.js';
import { isRaw, own, type Raw } from './values.js';

/** A value and the document it stands in, which is what its references are relative to. */
export interface Located {
  readonly doc: Document;
  readonly value: unknown;
}

/** Why a reference leads nowhere, in words for programs. */
export type RefFault = 'external_ref_blocked' | 'unresolved_ref' | 'cyclic_ref';

export type Resolved =
  | { readonly ok: true; readonly at: Located; readonly pointer?: string }
  | { readonly ok: false; readonly fault: RefFault; readonly ref: string };

const longestChain = 32;

/** Whether a value in a place for references is one; anywhere else `$ref` is data, and so is one that is not a text. */
export const isReference = (value: unknown): value is Raw & { readonly $ref: string } =>
  isRaw(value) && typeof own(value, '$ref') === 'string';

/** Follows references until something else stands there. Nothing is loaded: other documents are known by now or blocked. */
export function resolved(from: Located): Resolved {
  let at = from;
  let pointer: string | undefined;
  const seen = new Set<unknown>();
  while (isReference(at.value)) {
    const ref = at.value.$ref;
    if (seen.has(at.value) || seen.size >= longestChain) return { ok: false, fault: 'cyclic_ref', ref };
    seen.add(at.value);
    const next = target(at.doc, ref);
    if (!next.ok) return next;
    ({ at, pointer } = next);
  }
  return { ok: true, at, ...(pointer !== undefined && { pointer }) };
}

/** One step: what a reference names, whatever that is. */
export function target(
  doc: Document,
  ref: string,
):
  | { readonly ok: true; readonly at: Located; readonly pointer: string }
  | { readonly ok: false; readonly fault: RefFault; readonly ref: string } {
  const hash = ref.indexOf('#');
  const file = hash === -1 ? ref : ref.slice(0, hash);
  const fragment = hash === -1 ? '' : ref.slice(hash + 1);
  const within = file === '' ? doc : (doc.neighbours.get(file.replace(/^\.\//, '')) ?? named(doc).ids.get(file));
  if (within === undefined)
    return doc.within === undefined ? { ok: false, fault: 'external_ref_blocked', ref } : target(doc.within, ref);
  const value =
    fragment === '' || fragment.startsWith('/') ? at(within.root, fragment) : named(within).anchors.get(fragment);
  if (value === undefined && doc.within !== undefined) return target(doc.within, ref);
  return value === undefined
    ? { ok: false, fault: 'unresolved_ref', ref }
    : { ok: true, at: { doc: within, value }, pointer: `${file === '' ? '' : file}#${fragment}` };
}

/** The value a JSON pointer names; only fields that objects have themselves, so that no pointer reaches a prototype. */
function at(root: unknown, fragment: string): unknown {
  if (fragment === '') return root;
  let value = root;
  for (const raw of fragment.slice(1).split('/')) {
    const key = decoded(raw)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (key === undefined) return undefined;
    value = Array.isArray(value) ? (/^\d{1,9}$/.test(key) ? value[Number(key)] : undefined) : own(value, key);
    if (value === undefined) return undefined;
  }
  return value;
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a document calls by names of its own: schemas by `$anchor`, and those that have an address, which is a name and never fetched. */
interface Names {
  readonly anchors: ReadonlyMap<string, unknown>;
  readonly ids: ReadonlyMap<string, Document>;
}

const known = new WeakMap<Document, Names>();

function named(doc: Document): Names {
  let names = known.get(doc);
  if (names === undefined) known.set(doc, (names = namesIn(doc)));
  return names;
}

function namesIn(doc: Document): Names {
  const anchors = new Map<string, unknown>();
  const ids = new Map<string, Document>();
  const seen = new Set<unknown>();
  const todo: unknown[] = [doc.root];
  for (let value = todo.pop(); value !== undefined; value = todo.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const key of ['$anchor', '$dynamicAnchor']) {
      const anchor = own(value, key);
      if (typeof anchor === 'string') anchors.set(anchor, value);
    }
    const id = own(value, '$id');
    // What stands inside refers to it as to a document.
    if (typeof id === 'string' && id !== '' && isRaw(value) && value !== doc.root)
      ids.set(id.replace(/#$/, ''), { ...doc, root: value, within: doc });
    for (const [key, item] of Object.entries(value))
      if (!isData(key) && typeof item === 'object' && item !== null) todo.push(item);
  }
  return { anchors, ids };
}

/** Whether a field holds data in which a `$ref` or `$id` means nothing. */
export const isData = (key: string): boolean =>
  key === 'example' ||
  key === 'examples' ||
  key === 'default' ||
  key === 'enum' ||
  key === 'const' ||
  key.startsWith('x-');
