import type { Document } from './document.js';
import type { Operation } from './model.js';
import type { Fault } from './normalise.js';
import { templateOf } from './parameters.js';
import { isData, isReference, target, type Located } from './references.js';
import { isRaw } from './values.js';

const mostLooked = 20_000;

/** Why an operation cannot be offered although it was read: its path leads elsewhere, or its input lies in a document that may not be opened. */
export function planFault(operation: Operation): Fault | undefined {
  if (
    templateOf(operation.path)
      .path.split('/')
      .some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment)) ||
    /[\\\0-\x1f]/.test(operation.path)
  )
    return { reason: 'unsafe_path', message: 'the path holds dot segments or a character that paths cannot' };
  for (const schema of [
    ...operation.parameters.map((parameter) => parameter.schema),
    ...(operation.body?.schema ? [operation.body.schema] : []),
  ]) {
    const ref = blockedIn(schema);
    if (ref !== undefined)
      return { reason: 'external_ref_blocked', message: `its input refers to ${ref.slice(0, 200)}` };
  }
  return undefined;
}

const known = new WeakMap<object, string | null>();

/** The first reference to another document that a schema leads to. */
function blockedIn(root: Located): string | undefined {
  if (!isRaw(root.value) || !refersElsewhere(root.doc)) return undefined;
  const kept = known.get(root.value);
  if (kept !== undefined) return kept ?? undefined;
  const seen = new Set<unknown>();
  const todo: Located[] = [root];
  let found: string | undefined;
  for (let at = todo.pop(); at !== undefined && seen.size < mostLooked; at = todo.pop()) {
    if (typeof at.value !== 'object' || at.value === null || seen.has(at.value)) continue;
    seen.add(at.value);
    if (isReference(at.value)) {
      const next = target(at.doc, at.value.$ref);
      if (!next.ok && next.fault === 'external_ref_blocked') {
        found = next.ref;
        break;
      }
      if (next.ok) todo.push(next.at);
    }
    const { doc } = at;
    for (const [key, value] of Object.entries(at.value)) {
      // Data, not schemas: a `$ref` in there refers to nothing.
      if (isData(key)) continue;
      todo.push({ doc, value });
    }
  }
  known.set(root.value, found ?? null);
  return found;
}

const elsewhere = new WeakMap<Document, boolean>();

/** Whether any text under a `$ref` of the document leaves it: most do not, and need no look at each operation. */
function refersElsewhere(doc: Document): boolean {
  let found = elsewhere.get(doc);
  if (found === undefined) {
    const seen = new Set<unknown>();
    const todo: unknown[] = [doc.root];
    found = false;
    for (let value = todo.pop(); value !== undefined && !found; value = todo.pop()) {
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      found = isReference(value) && !value.$ref.startsWith('#');
      for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) todo.push(item);
    }
    elsewhere.set(doc, found);
  }
  return found;
}
