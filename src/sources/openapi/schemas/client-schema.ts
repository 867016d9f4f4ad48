import type { Json } from '../../../core/json.js';
import { isPortablePattern } from '../../../lib/text/portable-pattern.js';
import { isRawObject } from '../document/fields.js';
import { cleanProse } from './prose.js';
import type { Schema } from './converter.js';

const schemaKeywords = new Set(['items', 'contains', 'propertyNames', 'additionalProperties', 'unevaluatedProperties']);
const listKeywords = new Set(['allOf', 'anyOf', 'prefixItems']);
const mapKeywords = new Set(['dependentSchemas', '$defs']);

/**
 * A schema as clients get it: texts without hidden characters and markup, and no pattern that a validator in another language
 * cannot compile. Omissions only make it more permissive, so that a client never rejects what the gateway would accept.
 */
export const toClientSchema = (schema: Schema): Schema => rewrite(schema).schema;

interface Rewritten {
  readonly schema: Schema;
  /** Whether it accepts more than before. */
  readonly isWider: boolean;
}

/** Keywords whose schemas must not become wider: a wider negation or condition rejects more, wider branches of `oneOf` overlap. */
const strictKeywords = ['not', 'if', 'then', 'else', 'oneOf'];

/** Rewrites each subschema once: nested ones may be many levels deep. */
function rewrite(schema: Schema): Rewritten {
  const made: Record<string, Json> = {};
  let isWider = false;
  /** Whether read-only properties are left out, which callers do not send. */
  let hasHidden = false;
  const inner = (below: Json): Json => {
    if (!isRawObject(below)) return below;
    const written = rewrite(below as Schema); // these keywords of a converted schema contain schemas
    isWider ||= written.isWider;
    return written.schema;
  };
  const innerMap = (map: object): Json =>
    Object.fromEntries(Object.entries(map).map(([name, below]) => [name, inner(below as Json)])); // already converted
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || strictKeywords.includes(key)) continue;
    if (key === 'description' || key === 'title') made[key] = typeof value === 'string' ? cleanProse(value) : value;
    else if (key === 'pattern') {
      if (typeof value === 'string' && isPortablePattern(value)) made[key] = value;
      else isWider = true;
    } else if (key === 'patternProperties' && isRawObject(value)) {
      if (Object.keys(value).every(isPortablePattern)) made[key] = innerMap(value);
      else isWider = true;
    } else if (schemaKeywords.has(key)) made[key] = inner(value);
    else if (listKeywords.has(key) && Array.isArray(value)) made[key] = value.map(inner);
    else if (key === 'properties' && isRawObject(value)) {
      const sent = Object.entries(value).filter(([, below]) => !(isRawObject(below) && below['readOnly'] === true));
      hasHidden = sent.length < Object.keys(value).length;
      made[key] = innerMap(Object.fromEntries(sent));
    } else if (mapKeywords.has(key) && isRawObject(value)) made[key] = innerMap(value);
    else made[key] = value;
  }
  const strict = rewriteStrict(schema);
  if (strict.some(([, , isExact]) => !isExact)) isWider = true;
  else for (const [key, value] of strict) made[key] = value;
  // A hidden property must not count as an additional one.
  if (hasHidden || (schema['patternProperties'] !== undefined && made['patternProperties'] === undefined)) {
    isWider = true;
    delete made['additionalProperties'];
    delete made['unevaluatedProperties'];
  }
  return { schema: made, isWider };
}

/** The strict keywords of a schema, each with whether its schemas stayed exact. */
const rewriteStrict = (schema: Schema): readonly (readonly [string, Json, boolean])[] =>
  strictKeywords.flatMap((key) => {
    const value = schema[key];
    if (value === undefined) return [];
    const parts = (Array.isArray(value) ? value : [value]).map((part: Json) =>
      isRawObject(part) ? rewrite(part as Schema) : { schema: {}, isWider: false },
    );
    const [only = {}] = parts.map((part) => part.schema);
    return [
      [key, Array.isArray(value) ? parts.map((part) => part.schema) : only, parts.every((part) => !part.isWider)],
    ];
  });
