import type { Json, JsonObject } from '../../../core/json.js';
import { clean } from '../../../hostile-text/clean.js';
import { truncateText } from '../../../lib/truncate.js';
import type { Schema, SchemaConverter } from './converter.js';
import { fieldEntries, isRawObject } from '../document/fields.js';

/** What to keep of a schema at one level of detail. */
interface DetailLevel {
  readonly depth: number;
  readonly text: number;
  readonly extras: boolean;
  readonly enums: number;
  readonly branches: number;
}

const detailLevels: readonly DetailLevel[] = [
  { depth: 10, text: 1_000, extras: true, enums: 200, branches: 20 },
  { depth: 8, text: 240, extras: true, enums: 100, branches: 12 },
  { depth: 6, text: 120, extras: false, enums: 60, branches: 8 },
  { depth: 4, text: 80, extras: false, enums: 30, branches: 5 },
  { depth: 3, text: 40, extras: false, enums: 20, branches: 3 },
  { depth: 2, text: 0, extras: false, enums: 10, branches: 0 },
  { depth: 1, text: 0, extras: false, enums: 0, branches: 0 },
];

/** A schema for the model: no references, within a byte budget, and at least as permissive as the full schema. */
export interface AbbreviatedSchema {
  readonly schema: Schema;
  /** Whether anything was omitted. */
  readonly isAbbreviated: boolean;
}

/**
 * Inlines references and lowers the level of detail until the schema fits. Omissions only make it more permissive, so
 * a client that validates arguments against it never rejects what the gateway would accept.
 */
export function abbreviateSchema(
  schema: Schema,
  defs: Pick<SchemaConverter, 'def'>,
  maxBytes: number,
): AbbreviatedSchema {
  for (const detail of detailLevels) {
    const state = { left: maxBytes, isCut: false };
    const made = expandSchema(schema, defs, detail, 0, [], state);
    if (state.left >= 0 && Buffer.byteLength(JSON.stringify(made)) <= maxBytes)
      return { schema: made, isAbbreviated: state.isCut || detail !== detailLevels[0] };
  }
  return { schema: toBareSchema(schema, maxBytes), isAbbreviated: true };
}

interface BudgetState {
  left: number;
  isCut: boolean;
}

function expandSchema(
  schema: Schema,
  defs: Pick<SchemaConverter, 'def'>,
  detail: DetailLevel,
  depth: number,
  path: readonly string[],
  state: BudgetState,
): Schema {
  // Stop once over budget: wide schemas would grow exponentially with depth.
  if (state.left < 0) return {};
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const name = ref.slice('#/$defs/'.length);
    const below = defs.def(name);
    if (path.includes(name) || depth > detail.depth) {
      state.isCut = true;
      return typeOnly(below);
    }
    const { $ref: _, ...beside } = schema;
    const made = expandSchema(below, defs, detail, depth, [...path, name], state);
    if (Object.keys(beside).length === 0) return made;
    const also = expandSchema(beside, defs, detail, depth, path, state);
    return Object.keys(also).every((key) => key === 'description' || key === 'title')
      ? { ...made, ...also }
      : { allOf: [made, also] };
  }
  const made: Record<string, Json> = {};
  const inner = (below: Json): Schema =>
    isRawObject(below) ? expandSchema(below as Schema, defs, detail, depth + 1, path, state) : {}; // these keywords of a converted schema contain schemas
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const kept = expandKeyword(key, value, schema, detail, depth, state, inner);
    if (kept === undefined) continue;
    // Abbreviated branches may overlap, so `oneOf` would reject values that the full schema accepts.
    if (key === 'oneOf' && made['anyOf'] !== undefined) continue;
    made[key === 'oneOf' ? 'anyOf' : key] = kept;
    state.left -= key.length + 4 + (typeof kept === 'object' && kept !== null ? 2 : String(kept).length);
  }
  return mergeAllOf(made);
}

const mergeableKeywords = new Set(['type', 'properties', 'required', 'description', 'title']);

/** Merges an `allOf` whose parts only add properties into one object, which every client understands. */
function mergeAllOf(schema: Schema): Schema {
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

const plainKeywords = new Set([
  'type',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'uniqueItems',
  'const',
  'contentEncoding',
  'contentMediaType',
]);
const listKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

function expandKeyword(
  key: string,
  value: Json,
  whole: Schema,
  detail: DetailLevel,
  depth: number,
  state: BudgetState,
  inner: (below: Json) => Schema,
): Json | undefined {
  const isDeep = depth >= detail.depth;
  const cut = (): undefined => {
    state.isCut = true;
  };
  if (plainKeywords.has(key)) return value;
  if (key === 'required') return isDeep ? undefined : value;
  if (key === 'description' || key === 'title')
    return abbreviateText(
      value,
      key === 'title' ? Math.min(detail.text, 80) : depth <= 1 ? Math.max(detail.text, 60) : detail.text,
      cut,
    );
  if (key === 'default' || key === 'examples' || key === 'deprecated')
    return detail.extras && Buffer.byteLength(JSON.stringify(value)) <= 200 ? value : undefined;
  if (key === 'enum') return Array.isArray(value) && value.length <= detail.enums ? chargeBudget(value, state) : cut();
  if (isDeep) return listKeywords.has(key) || key === 'properties' || key === 'items' ? cut() : undefined;
  if (key === 'properties' && isRawObject(value)) {
    const kept = fieldEntries({ value }, 'value').filter(
      ([, below]) => !(isRawObject(below) && below['readOnly'] === true),
    );
    return Object.fromEntries(
      kept.map(([name, below]) => {
        state.left -= name.length + 4;
        return [name, inner(below as Json)]; // already converted
      }),
    );
  }
  if (key === 'additionalProperties')
    return showsAllProperties(whole) ? (isRawObject(value) ? inner(value as Json) : value) : undefined;
  if (key === 'items') return inner(value);
  if (
    listKeywords.has(key) &&
    Array.isArray(value) &&
    (value.length <= detail.branches || (key === 'allOf' && detail.branches > 0))
  )
    return value.map(inner);
  // `not`, `if` and similar keywords would become stricter if abbreviated.
  return cut();
}

/** Whether all declared properties are shown; otherwise `additionalProperties` would reject the hidden ones. */
const showsAllProperties = (whole: Schema): boolean =>
  whole['patternProperties'] === undefined &&
  !fieldEntries(whole, 'properties').some(([, below]) => isRawObject(below) && below['readOnly'] === true);

function abbreviateText(value: Json, max: number, cut: () => undefined): string | undefined {
  if (typeof value !== 'string' || max === 0) return value === '' ? undefined : cut();
  const { text } = clean(value);
  const { value: kept, truncated } = truncateText(text.trim(), max);
  if (truncated) cut();
  return truncated ? `${kept.trimEnd()}…` : kept === '' ? undefined : kept;
}

function chargeBudget(value: readonly Json[], state: BudgetState): Json {
  state.left -= JSON.stringify(value).length;
  return value;
}

/** The type of a schema and nothing else. */
function typeOnly(schema: Schema): Schema {
  const type = schema['type'];
  return type === undefined ? {} : { type };
}

/** Last resort: as many property names and types as fit, required ones first. */
function toBareSchema(schema: Schema, maxBytes: number): Schema {
  const required = Array.isArray(schema['required'])
    ? schema['required'].filter((name) => typeof name === 'string')
    : [];
  const all = fieldEntries(schema, 'properties');
  const sorted = [
    ...all.filter(([name]) => required.includes(name)),
    ...all.filter(([name]) => !required.includes(name)),
  ];
  const properties: [string, JsonObject][] = [];
  let remainingBytes = maxBytes - 100 - JSON.stringify(required).length;
  for (const [name, below] of sorted) {
    const kind = isRawObject(below) ? typeOnly(below as Schema) : {};
    remainingBytes -= name.length * 2 + 40;
    if (remainingBytes < 0) break;
    properties.push([name, kind]);
  }
  return {
    ...typeOnly(schema),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(remainingBytes >= 0 && required.length > 0 && { required }),
  };
}
