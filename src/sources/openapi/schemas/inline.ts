import type { Json } from '../../../core/json.js';
import { isRawObject } from '../document/fields.js';
import { toClientSchema } from './client-schema.js';
import type { Schema, SchemaConverter } from './converter.js';
import { mergeAllOf } from './merge-all-of.js';

/** Ends inlining; one object, since its stack is of no interest. */
const notInlined = new Error('the schema is recursive or exceeds the budget');

/** The whole schema without references; undefined if it is recursive or certainly larger than the budget. */
export function inlineSchema(schema: Schema, defs: Pick<SchemaConverter, 'def'>, maxBytes: number): Schema | undefined {
  let left = maxBytes;
  const inlineAny = (value: Json, path: readonly string[]): Json => {
    // A few bytes per value: wide schemas would grow exponentially with depth.
    left -= 2;
    if (left < 0) throw notInlined;
    if (Array.isArray(value)) return value.map((item: Json) => inlineAny(item, path));
    if (!isRawObject(value)) {
      left -= typeof value === 'string' ? value.length : 1;
      return value;
    }
    const { $ref: ref } = value;
    if (typeof ref === 'string' && ref.startsWith('#/$defs/')) {
      const name = ref.slice('#/$defs/'.length);
      // Recursive schemas have no finite form without references.
      if (path.includes(name)) throw notInlined;
      const { $ref: _, ...beside } = value;
      const made = inlineAny(toClientSchema(defs.def(name)), [...path, name]) as Schema; // a definition is an object
      const also = inlineAny(beside as Schema, path) as Schema; // already converted
      // Only annotations beside the reference: no `allOf` is needed.
      return Object.keys(also).every((key) => key === 'description' || key === 'title')
        ? { ...made, ...also }
        : { allOf: [made, also] };
    }
    const made: Record<string, Json> = {};
    for (const [key, below] of Object.entries(value)) {
      left -= key.length;
      made[key] = dataKeywords.has(key) ? (below as Json) : inlineAny(below as Json, path); // already converted
    }
    return mergeAllOf(made);
  };
  try {
    return inlineAny(toClientSchema(schema), []) as Schema; // an object stays one
  } catch (error) {
    if (error === notInlined) return undefined;
    throw error;
  }
}

/** Keywords with values, in which `$ref` has no meaning. */
const dataKeywords = new Set(['const', 'default', 'enum', 'examples']);
