import type { Json, JsonObject } from '../../../core/json.js';
import { fieldEntries, isRawObject } from '../document/fields.js';
import type { Schema } from './converter.js';

const mergeableKeywords = new Set(['type', 'properties', 'required', 'description', 'title']);

/** Merges an `allOf` whose parts only add properties into one object, which every client understands. */
export function mergeAllOf(schema: Schema): Schema {
  const parts = schema['allOf'];
  if (!Array.isArray(parts)) return schema;
  const { allOf: _, ...rest } = schema;
  const all = [...parts.filter(isRawObject), rest];
  if (
    all.some(
      (part) =>
        Object.keys(part).some((key) => !mergeableKeywords.has(key)) ||
        (part['type'] !== undefined && part['type'] !== 'object'),
    )
  )
    return schema;
  const names = all.flatMap((part) => fieldEntries(part, 'properties'));
  if (new Set(names.map(([name]) => name)).size < names.length) return schema;
  const required = [...new Set(all.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : [])))];
  const description = all.findLast((part) => part['description'] !== undefined)?.['description'];
  // All values are already converted.
  return {
    ...(all.some((part) => part['type'] === 'object') && { type: 'object' }),
    ...(names.length > 0 && { properties: Object.fromEntries(names) as JsonObject }),
    ...(required.length > 0 && { required: required as Json }),
    ...(typeof description === 'string' && { description }),
  };
}
