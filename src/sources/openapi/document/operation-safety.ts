import { tooDeep, type Document } from './parse.js';
import type { Operation } from './model.js';
import type { OperationProblem } from './normalise.js';
import { splitTemplate } from './parameters.js';
import { isDataKeyword, isReference, followReference, type Located } from './references.js';
import { isRawObject } from './fields.js';

/** Bound of a walk, so that a cyclic document cannot keep it going. */
const maxVisitedValues = 20_000;

/** Finds why a parsed operation is unsafe to offer: dot segments in its path, or an input schema in another document. */
export function findSafetyProblem(operation: Operation): OperationProblem | undefined {
  if (
    splitTemplate(operation.path)
      .path.split('/')
      // Also encoded dots: some servers decode before they resolve (path traversal).
      .some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)) ||
    /[\\\0-\x1f]/.test(operation.path)
  )
    return { reason: 'unsafe_path', message: 'the path contains dot segments or invalid characters' };
  for (const schema of [
    ...operation.parameters.map((parameter) => parameter.schema),
    ...(operation.body?.schema ? [operation.body.schema] : []),
  ]) {
    if (reachesTooDeep(schema))
      return { reason: 'deep_schema', message: 'its input is nested deeper than the gateway can check' };
    const ref = findBlockedReference(schema);
    if (ref !== undefined)
      return { reason: 'external_ref_blocked', message: `its input refers to ${ref.slice(0, 200)}` };
  }
  return undefined;
}

/** Results by schema object; operations share most of their schemas. */
const blockedReferenceCache = new WeakMap<object, string | null>();

/** Finds the first reference to another document that a schema reaches. */
function findBlockedReference(root: Located): string | undefined {
  if (!isRawObject(root.value) || !hasExternalReferences(root.doc)) return undefined;
  const cached = blockedReferenceCache.get(root.value);
  if (cached !== undefined) return cached ?? undefined;
  const seen = new Set<unknown>();
  const todo: Located[] = [root];
  let found: string | undefined;
  for (let at = todo.pop(); at !== undefined && seen.size < maxVisitedValues; at = todo.pop()) {
    if (typeof at.value !== 'object' || at.value === null || seen.has(at.value)) continue;
    seen.add(at.value);
    if (isReference(at.value)) {
      const next = followReference(at.doc, at.value.$ref);
      if (!next.ok && next.problem === 'external_ref_blocked') {
        found = next.ref;
        break;
      }
      if (next.ok) todo.push(next.at);
    }
    const { doc } = at;
    for (const [key, value] of Object.entries(at.value)) {
      // Examples and defaults are data: a `$ref` inside is not a reference.
      if (isDataKeyword(key)) continue;
      todo.push({ doc, value });
    }
  }
  blockedReferenceCache.set(root.value, found ?? null);
  return found;
}

/** Whether any part of a document was cut; most have none, which saves the walk. */
const deepDocuments = new WeakMap<Document, boolean>();

/** Whether a schema reaches a part that was cut for its depth. */
function reachesTooDeep(root: Located): boolean {
  let hasDeepParts = deepDocuments.get(root.doc);
  if (hasDeepParts === undefined)
    deepDocuments.set(root.doc, (hasDeepParts = reaches(root.doc.root, (value) => value === tooDeep)));
  if (!hasDeepParts) return false;
  const seen = new Set<unknown>();
  const todo: Located[] = [root];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (at.value === tooDeep) return true;
    if (typeof at.value !== 'object' || at.value === null || seen.has(at.value)) continue;
    seen.add(at.value);
    const { doc } = at;
    const next = isReference(at.value) ? followReference(doc, at.value.$ref) : undefined;
    if (next?.ok) todo.push(next.at);
    for (const [key, value] of Object.entries(at.value)) if (!isDataKeyword(key)) todo.push({ doc, value });
  }
  return false;
}

/** Whether a value inside of a document satisfies a test. */
function reaches(root: unknown, test: (value: object) => boolean): boolean {
  const seen = new Set<unknown>();
  const todo: unknown[] = [root];
  for (let value = todo.pop(); value !== undefined; value = todo.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    if (test(value)) return true;
    seen.add(value);
    for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) todo.push(item);
  }
  return false;
}

/** Whether a document has external references at all. */
const externalReferenceCache = new WeakMap<Document, boolean>();

/** Whether the document has any external reference; most have none, which saves a walk per operation. */
function hasExternalReferences(doc: Document): boolean {
  let found = externalReferenceCache.get(doc);
  if (found === undefined) {
    found = reaches(doc.root, (value) => isReference(value) && !value.$ref.startsWith('#'));
    externalReferenceCache.set(doc, found);
  }
  return found;
}
