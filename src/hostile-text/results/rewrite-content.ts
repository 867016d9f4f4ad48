import type { Content } from '../../core/content.js';
import { textContent } from '../../core/content.js';
import type { Json, JsonObject } from '../../core/json.js';

/** Deeper data is cut off: such nesting only serves to exhaust a recursive reader (stack overflow). */
const maxJsonDepth = 200;

/** Visitor applied to every string of a result. */
export interface TextVisitor {
  text(value: string): string;
  /** Reserves budget for media of this many characters; false if it does not fit. */
  reserve(length: number): boolean;
  /** Charges keys, numbers and other non-text to the budget; false once it is exceeded. */
  charge(length: number): boolean;
  /** Records that something was omitted. */
  markTruncated(): void;
}

/** Rewrites every text of the parts; returns the same list if nothing changed. */
export const rewriteContent = (content: readonly Content[], visitor: TextVisitor): readonly Content[] =>
  rewriteList(content, visitor, rewritePart);

/** Rewrites every text of the data; keys and types never change, and unchanged data is returned as is. */
export const rewriteData = (data: Json, visitor: TextVisitor): Json => rewriteJson(data, visitor, 0);

/** Rewrites the named text fields; returns the same object if nothing changed. */
export function rewriteFields<T extends object, K extends keyof T>(
  value: T,
  visitor: TextVisitor,
  names: readonly K[],
): T {
  let result = value;
  for (const name of names) {
    const given = value[name];
    if (typeof given !== 'string') continue;
    const written = visitor.text(given);
    if (written !== given) result = { ...result, [name]: written };
  }
  return result;
}

/** Copy on write: an unchanged list keeps its identity, by which callers see that nothing was removed. */
function rewriteList<T>(
  values: readonly T[],
  visitor: TextVisitor,
  each: (value: T, visitor: TextVisitor) => T,
): readonly T[] {
  let copy: T[] | undefined;
  for (const [index, value] of values.entries()) {
    const result = each(value, visitor);
    if (result !== value) (copy ??= [...values])[index] = result;
  }
  return copy ?? values;
}

const rewritePart = (value: Content, visitor: TextVisitor): Content =>
  rewriteKnownPart(value, visitor) ?? omittedPart('a part of the result', visitor);

/** Undefined if fields other than the text exceed the budget. */
function rewriteKnownPart(value: Content, visitor: TextVisitor): Content | undefined {
  switch (value.type) {
    case 'text': {
      const result = visitor.text(value.text);
      return rewriteOtherFields(result === value.text ? value : { ...value, text: result }, visitor, textFields);
    }
    case 'image':
    case 'audio':
      // Reserved before the other fields: media are dropped as a whole, never cut.
      return visitor.reserve(value.data.length)
        ? rewriteOtherFields(value, visitor, mediaFields)
        : omittedPart(`${value.type} of ${value.data.length} base64 characters`, visitor);
    case 'resource': {
      const { resource } = value;
      if (resource.blob !== undefined && !visitor.reserve(resource.blob.length))
        return omittedPart(`resource of ${resource.blob.length} base64 characters`, visitor);
      const result = rewriteOtherFields(resource, visitor, resourceByteFields);
      return (
        result &&
        rewriteOtherFields(result === resource ? value : { ...value, resource: result }, visitor, resourceFields)
      );
    }
    default:
      return rewriteOtherFields(value, visitor, noFields);
  }
}

/** Placeholder for a part that does not fit: half an image is useless. */
function omittedPart(what: string, visitor: TextVisitor): Content {
  visitor.markTruncated();
  return textContent(visitor.text(`[${what} omitted: over the output limit]`));
}

const textFields: readonly string[] = ['type', 'text'];
const mediaFields: readonly string[] = ['type', 'data'];
const resourceFields: readonly string[] = ['type', 'resource'];
const resourceByteFields: readonly string[] = ['blob'];
const noFields: readonly string[] = [];

/** Rewrites all other fields of a block: an untrusted server can put text into unknown fields too. */
function rewriteOtherFields<T extends object>(
  value: T,
  visitor: TextVisitor,
  written: readonly string[],
): T | undefined {
  const fields = value as Readonly<Record<string, Json | undefined>>; // blocks were parsed from JSON
  let copy: T | undefined;
  for (const key of Object.keys(value)) {
    const given = fields[key];
    if (given === undefined || written.includes(key)) continue;
    const result = rewriteJson(given, visitor, 1);
    // Keys are charged too: text hidden in keys would otherwise be free of any limit.
    if (!visitor.charge(key.length)) return undefined;
    if (result !== given) define((copy ??= { ...value }), key, result);
  }
  return copy ?? value;
}

function rewriteJson(value: Json, visitor: TextVisitor, depth: number): Json {
  if (typeof value === 'string') return visitor.text(value);
  // Data over its budget is dropped as a whole, so the rest need not be visited.
  if (!visitor.charge(minValueLength) || value === null || typeof value !== 'object') return value;
  if (depth >= maxJsonDepth) {
    visitor.markTruncated();
    return visitor.text('[nested too deep]');
  }
  if (isJsonArray(value)) return rewriteList(value, visitor, (item) => rewriteJson(item, visitor, depth + 1));
  let copy: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (given === undefined || !visitor.charge(key.length)) continue;
    const result = rewriteJson(given, visitor, depth + 1);
    if (result !== given) define((copy ??= { ...value }), key, result);
  }
  return copy ?? value;
}

/** Minimum length of a number or an empty list, with its comma. */
const minValueLength = 2;

/** Defines a key without assignment, so that `__proto__` stays a key (prototype pollution). */
function define(record: object, key: string, value: Json): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

const isJsonArray = (value: Json): value is readonly Json[] => Array.isArray(value);
