import type { Json, JsonObject } from '../../../core/json.js';
import { safePattern } from '../../../lib/text/patterns.js';
import type { Dialect } from '../document/parse.js';
import type { ReportProblem } from './converter.js';
import { fieldEntries, isRawObject, ownField, textListField, type RawObject } from '../document/fields.js';

/** Converts a subschema. */
type ConvertInner = (below: unknown) => JsonObject;

/** Types of JSON Schema; others are errors of the document. */
const jsonTypes = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Keywords whose value is a count. */
const countKeywords = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];
/** Keywords whose value is one schema, `items` and `additionalProperties` aside: both have other forms in older dialects. */
export const singleSchemaKeywords = [
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
];
/** Keywords whose value is a list of schemas. */
export const schemaListKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
/** Keywords whose value is a text. */
const textKeywords = ['title', 'description', 'format', 'contentEncoding', 'contentMediaType'];
/** Keywords whose value is a flag. */
const booleanKeywords = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'];

/** Converts the keywords of a schema object to 2020-12; unknown keywords and malformed values are dropped, so that they cannot break the compiler. */
export function convertKeywords(
  raw: RawObject,
  dialect: Dialect,
  inner: ConvertInner,
  report: ReportProblem,
  isRequired: (name: string) => boolean,
): JsonObject {
  const made: Record<string, Json> = {};
  Object.assign(made, convertType(raw, report), convertBounds(raw, dialect), convertValues(raw));
  for (const key of textKeywords) {
    const value = ownField(raw, key);
    if (typeof value === 'string' && !(key in made)) made[key] = value;
  }
  for (const key of booleanKeywords) if (ownField(raw, key) === true) made[key] = true;
  for (const key of countKeywords) {
    const value = ownField(raw, key);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) made[key] = value;
  }
  const pattern = ownField(raw, 'pattern');
  if (typeof pattern === 'string' && isUsablePattern(pattern, report)) made['pattern'] = pattern;
  for (const key of singleSchemaKeywords)
    if (ownField(raw, key) !== undefined)
      made[key] = ownField(raw, key) === false && key.startsWith('unevaluated') ? false : inner(ownField(raw, key));
  for (const key of schemaListKeywords) {
    const value = ownField(raw, key);
    // With a discriminator the branches may overlap, so `oneOf` would reject valid values.
    const target =
      key === 'oneOf' && isRawObject(ownField(raw, 'discriminator')) && ownField(raw, 'anyOf') === undefined
        ? 'anyOf'
        : key;
    if (Array.isArray(value) && value.length > 0) made[target] = value.map(inner);
  }
  Object.assign(made, convertObjectKeywords(raw, inner, report, isRequired), convertItems(raw, inner));
  return made;
}

/** Whether a pattern is valid and cannot backtrack for long (ReDoS). */
function isUsablePattern(pattern: string, report: ReportProblem): boolean {
  const read = safePattern(pattern);
  if (read.kind === 'accepted') return true;
  report(read.reason, `pattern ${JSON.stringify(pattern.slice(0, 100))} is not validated: ${read.message}`);
  return false;
}

/** Converts `type`; unknown types are reported and left out. */
function convertType(raw: RawObject, report: ReportProblem): JsonObject {
  const type = ownField(raw, 'type');
  if (type === undefined || type === null) return {};
  // In 2.0 `file` is a type.
  if (type === 'file') return { type: 'string', format: 'binary' };
  const named = (Array.isArray(type) ? type : [type]).filter(
    (each): each is string => typeof each === 'string' && jsonTypes.has(each),
  );
  if (named.length === 0) report('malformed_schema', `type ${JSON.stringify(type)?.slice(0, 40)} is unknown`);
  const unique = [...new Set(named)];
  const [first] = unique;
  return first === undefined ? {} : { type: unique.length === 1 ? first : unique };
}

/** Converts bounds; before 3.1 the exclusive bounds are boolean flags. */
function convertBounds(raw: RawObject, dialect: Dialect): JsonObject {
  const made: Record<string, Json> = {};
  for (const [plain, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const [bound, edge] = [ownField(raw, plain), ownField(raw, exclusive)];
    if (isFiniteNumber(bound)) made[edge === true && dialect !== '3.1' ? exclusive : plain] = bound;
    if (isFiniteNumber(edge)) made[exclusive] = edge;
  }
  const step = ownField(raw, 'multipleOf');
  if (isFiniteNumber(step) && step > 0) made['multipleOf'] = step;
  return made;
}

/** Whether a value is a usable number. */
const isFiniteNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** Converts enumerations, constants, defaults and examples; duplicates would make the schema invalid. */
function convertValues(raw: RawObject): JsonObject {
  const made: Record<string, Json> = {};
  const values = ownField(raw, 'enum');
  // Documents are JSON or YAML without tags, so their values are JSON.
  if (Array.isArray(values) && values.length > 0)
    made['enum'] = [...new Map((values as readonly Json[]).map((value) => [JSON.stringify(value), value])).values()];
  for (const key of ['const', 'default']) {
    const value = ownField(raw, key);
    if (value !== undefined) made[key] = value as Json;
  }
  const example =
    ownField(raw, 'example') ??
    (Array.isArray(ownField(raw, 'examples')) ? (ownField(raw, 'examples') as readonly unknown[])[0] : undefined);
  if (example !== undefined) made['examples'] = [example as Json];
  return made;
}

/** Converts keywords of objects; malformed parts are left out. */
function convertObjectKeywords(
  raw: RawObject,
  inner: ConvertInner,
  report: ReportProblem,
  isRequired: (name: string) => boolean,
): JsonObject {
  const made: Record<string, Json> = {};
  const properties = fieldEntries(raw, 'properties').filter(
    ([, below]) => isRawObject(below) || typeof below === 'boolean',
  );
  if (properties.length > 0)
    made['properties'] = Object.fromEntries(properties.map(([name, below]) => [name, inner(below)]));
  // A property `__proto__` cannot be required, because no parser returns it.
  const required = [...new Set(textListField(raw, 'required'))].filter(
    (name) => name !== '__proto__' && isRequired(name),
  );
  if (required.length > 0) made['required'] = required;
  const extra = ownField(raw, 'additionalProperties');
  if (extra === false) made['additionalProperties'] = false;
  else if (isRawObject(extra) && Object.keys(extra).length > 0) made['additionalProperties'] = inner(extra);
  const patterns = fieldEntries(raw, 'patternProperties').filter(([pattern]) => isUsablePattern(pattern, report));
  if (patterns.length > 0)
    made['patternProperties'] = Object.fromEntries(patterns.map(([pattern, below]) => [pattern, inner(below)]));
  const dependent = fieldEntries(raw, 'dependentSchemas');
  if (dependent.length > 0)
    made['dependentSchemas'] = Object.fromEntries(dependent.map(([name, below]) => [name, inner(below)]));
  const together = fieldEntries(raw, 'dependentRequired').filter(
    ([, names]) => Array.isArray(names) && names.every((name) => typeof name === 'string'),
  );
  if (together.length > 0)
    made['dependentRequired'] = Object.fromEntries(together.map(([name, names]) => [name, names as Json]));
  return made;
}

/** Converts `items`; a list of schemas becomes `prefixItems` in 2020-12. */
function convertItems(raw: RawObject, inner: ConvertInner): JsonObject {
  const items = ownField(raw, 'items');
  if (items === undefined || items === null) return {};
  return Array.isArray(items) ? (items.length > 0 ? { prefixItems: items.map(inner) } : {}) : { items: inner(items) };
}
