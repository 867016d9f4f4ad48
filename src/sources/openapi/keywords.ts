import type { Json, JsonObject } from '../../core/json.js';
import { safePattern } from '../../lib/patterns.js';
import type { Dialect } from './document.js';
import type { Report } from './schemas.js';
import { entriesOf, isRaw, own, textsOf, type Raw } from './values.js';

type Inner = (below: unknown) => JsonObject;

const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const counts = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];
const single = ['contains', 'propertyNames', 'not', 'if', 'then', 'else', 'unevaluatedProperties', 'unevaluatedItems'];
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const texts = ['title', 'description', 'format', 'contentEncoding', 'contentMediaType'];
const flags = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'];

/** One schema object as 2020-12: the keywords we know, each only where its value makes sense, so that a careless document cannot break the compiler. */
export function readKeywords(
  raw: Raw,
  dialect: Dialect,
  inner: Inner,
  report: Report,
  isRequired: (name: string) => boolean,
): JsonObject {
  const made: Record<string, Json> = {};
  Object.assign(made, typeOf(raw, report), boundsOf(raw, dialect), valuesOf(raw));
  for (const key of texts) {
    const value = own(raw, key);
    if (typeof value === 'string' && !(key in made)) made[key] = value;
  }
  for (const key of flags) if (own(raw, key) === true) made[key] = true;
  for (const key of counts) {
    const value = own(raw, key);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) made[key] = value;
  }
  const pattern = own(raw, 'pattern');
  if (typeof pattern === 'string' && isUsable(pattern, report)) made['pattern'] = pattern;
  for (const key of single)
    if (own(raw, key) !== undefined)
      made[key] = own(raw, key) === false && key.startsWith('unevaluated') ? false : inner(own(raw, key));
  for (const key of several) {
    const value = own(raw, key);
    // With a discriminator the value itself says which branch is meant; the branches may well overlap.
    const said = key === 'oneOf' && isRaw(own(raw, 'discriminator')) && own(raw, 'anyOf') === undefined ? 'anyOf' : key;
    if (Array.isArray(value) && value.length > 0) made[said] = value.map(inner);
  }
  Object.assign(made, objectOf(raw, inner, report, isRequired), itemsOf(raw, inner));
  return made;
}

function isUsable(pattern: string, report: Report): boolean {
  const read = safePattern(pattern);
  if (read.kind === 'kept') return true;
  report(read.reason, `pattern ${JSON.stringify(pattern.slice(0, 100))} is not checked: ${read.message}`);
  return false;
}

function typeOf(raw: Raw, report: Report): JsonObject {
  const type = own(raw, 'type');
  if (type === undefined || type === null) return {};
  // 2.0 calls an uploaded file a type.
  if (type === 'file') return { type: 'string', format: 'binary' };
  const named = (Array.isArray(type) ? type : [type]).filter(
    (each): each is string => typeof each === 'string' && types.has(each),
  );
  if (named.length === 0) report('malformed_schema', `type ${JSON.stringify(type)?.slice(0, 40)} is not known`);
  const unique = [...new Set(named)];
  const [first] = unique;
  return first === undefined ? {} : { type: unique.length === 1 ? first : unique };
}

/** Minimum and maximum; before 3.1 the exclusive ones are flags beside them. */
function boundsOf(raw: Raw, dialect: Dialect): JsonObject {
  const made: Record<string, Json> = {};
  for (const [plain, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const [bound, edge] = [own(raw, plain), own(raw, exclusive)];
    if (isNumber(bound)) made[edge === true && dialect !== '3.1' ? exclusive : plain] = bound;
    if (isNumber(edge)) made[exclusive] = edge;
  }
  const step = own(raw, 'multipleOf');
  if (isNumber(step) && step > 0) made['multipleOf'] = step;
  return made;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

function valuesOf(raw: Raw): JsonObject {
  const made: Record<string, Json> = {};
  const values = own(raw, 'enum');
  // Documents are JSON or YAML without tags: what stands in them is JSON.
  if (Array.isArray(values) && values.length > 0)
    made['enum'] = [...new Map((values as readonly Json[]).map((value) => [JSON.stringify(value), value])).values()];
  for (const key of ['const', 'default']) {
    const value = own(raw, key);
    if (value !== undefined) made[key] = value as Json;
  }
  const example =
    own(raw, 'example') ??
    (Array.isArray(own(raw, 'examples')) ? (own(raw, 'examples') as readonly unknown[])[0] : undefined);
  if (example !== undefined) made['examples'] = [example as Json];
  return made;
}

function objectOf(raw: Raw, inner: Inner, report: Report, isRequired: (name: string) => boolean): JsonObject {
  const made: Record<string, Json> = {};
  const properties = entriesOf(raw, 'properties').filter(([, below]) => isRaw(below) || typeof below === 'boolean');
  if (properties.length > 0)
    made['properties'] = Object.fromEntries(properties.map(([name, below]) => [name, inner(below)]));
  const required = [...new Set(textsOf(raw, 'required'))].filter((name) => name !== '__proto__' && isRequired(name));
  if (required.length > 0) made['required'] = required;
  const extra = own(raw, 'additionalProperties');
  if (extra === false) made['additionalProperties'] = false;
  else if (isRaw(extra) && Object.keys(extra).length > 0) made['additionalProperties'] = inner(extra);
  const patterns = entriesOf(raw, 'patternProperties').filter(([pattern]) => isUsable(pattern, report));
  if (patterns.length > 0)
    made['patternProperties'] = Object.fromEntries(patterns.map(([pattern, below]) => [pattern, inner(below)]));
  const dependent = entriesOf(raw, 'dependentSchemas');
  if (dependent.length > 0)
    made['dependentSchemas'] = Object.fromEntries(dependent.map(([name, below]) => [name, inner(below)]));
  const together = entriesOf(raw, 'dependentRequired').filter(
    ([, names]) => Array.isArray(names) && names.every((name) => typeof name === 'string'),
  );
  if (together.length > 0)
    made['dependentRequired'] = Object.fromEntries(together.map(([name, names]) => [name, names as Json]));
  return made;
}

/** `items`; a list of schemas there is what 2020-12 calls `prefixItems`. */
function itemsOf(raw: Raw, inner: Inner): JsonObject {
  const items = own(raw, 'items');
  if (items === undefined || items === null) return {};
  return Array.isArray(items) ? (items.length > 0 ? { prefixItems: items.map(inner) } : {}) : { items: inner(items) };
}
