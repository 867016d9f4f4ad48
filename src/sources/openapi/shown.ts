import type { Json, JsonObject } from '../../core/json.js';
import { clean } from '../../hostile-text/clean.js';
import { truncateText } from '../../lib/truncate.js';
import type { Schema, Schemas } from './schemas.js';
import { entriesOf, isRaw } from './values.js';

/** How much is left of a schema at one step of shortening. */
interface Detail {
  readonly depth: number;
  readonly text: number;
  readonly extras: boolean;
  readonly enums: number;
  readonly branches: number;
}

const details: readonly Detail[] = [
  { depth: 10, text: 1_000, extras: true, enums: 200, branches: 20 },
  { depth: 8, text: 240, extras: true, enums: 100, branches: 12 },
  { depth: 6, text: 120, extras: false, enums: 60, branches: 8 },
  { depth: 4, text: 80, extras: false, enums: 30, branches: 5 },
  { depth: 3, text: 40, extras: false, enums: 20, branches: 3 },
  { depth: 2, text: 0, extras: false, enums: 10, branches: 0 },
  { depth: 1, text: 0, extras: false, enums: 0, branches: 0 },
];

/** A schema made for a model's eyes: no references, within a budget, and true of every value the whole one accepts. */
export interface Shown {
  readonly schema: Schema;
  /** Whether anything was left out. */
  readonly isShortened: boolean;
}

/**
 * Writes a schema out without references and shortens it, step by step, until it fits. What is left out only loosens it, so
 * a client that checks arguments against what it was shown refuses nothing that would be accepted.
 */
export function shown(schema: Schema, defs: Pick<Schemas, 'def'>, maxBytes: number): Shown {
  for (const detail of details) {
    const state = { left: maxBytes, isCut: false };
    const made = spell(schema, defs, detail, 0, [], state);
    if (state.left >= 0 && Buffer.byteLength(JSON.stringify(made)) <= maxBytes)
      return { schema: made, isShortened: state.isCut || detail !== details[0] };
  }
  return { schema: bare(schema, maxBytes), isShortened: true };
}

interface State {
  left: number;
  isCut: boolean;
}

function spell(
  schema: Schema,
  defs: Pick<Schemas, 'def'>,
  detail: Detail,
  depth: number,
  path: readonly string[],
  state: State,
): Schema {
  // Once over the budget nothing more is spelled: wide schemas would multiply at every level.
  if (state.left < 0) return {};
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const name = ref.slice('#/$defs/'.length);
    const below = defs.def(name);
    if (path.includes(name) || depth > detail.depth) {
      state.isCut = true;
      return kindOf(below);
    }
    const { $ref: _, ...beside } = schema;
    const made = spell(below, defs, detail, depth, [...path, name], state);
    if (Object.keys(beside).length === 0) return made;
    const also = spell(beside, defs, detail, depth, path, state);
    return Object.keys(also).every((key) => key === 'description' || key === 'title')
      ? { ...made, ...also }
      : { allOf: [made, also] };
  }
  const made: Record<string, Json> = {};
  const inner = (below: Json): Schema =>
    isRaw(below) ? spell(below as Schema, defs, detail, depth + 1, path, state) : {}; // converted schemas hold schemas in these places
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined) continue;
    const kept = keyword(key, value, schema, detail, depth, state, inner);
    if (kept === undefined) continue;
    // Shortened branches may overlap, and then "exactly one" would refuse what the whole schema accepts.
    if (key === 'oneOf' && made['anyOf'] !== undefined) continue;
    made[key === 'oneOf' ? 'anyOf' : key] = kept;
    state.left -= key.length + 4 + (typeof kept === 'object' && kept !== null ? 2 : String(kept).length);
  }
  return merged(made);
}

const mergeable = new Set(['type', 'properties', 'required', 'description', 'title']);

/** Inheritance written out: parts that only add properties become one object, which every client understands. */
function merged(schema: Schema): Schema {
  const parts = schema['allOf'];
  if (!Array.isArray(parts)) return schema;
  const { allOf: _, ...rest } = schema;
  const all = [...parts.filter(isRaw), rest];
  if (
    all.some(
      (part) =>
        Object.keys(part).some((key) => !mergeable.has(key)) ||
        (part['type'] !== undefined && part['type'] !== 'object'),
    )
  )
    return schema;
  const names = all.flatMap((part) => entriesOf(part, 'properties'));
  if (new Set(names.map(([name]) => name)).size < names.length) return schema;
  const required = [...new Set(all.flatMap((part) => (Array.isArray(part['required']) ? part['required'] : [])))];
  const description = all.findLast((part) => part['description'] !== undefined)?.['description'];
  // Every value was converted before it came here.
  return {
    ...(all.some((part) => part['type'] === 'object') && { type: 'object' }),
    ...(names.length > 0 && { properties: Object.fromEntries(names) as JsonObject }),
    ...(required.length > 0 && { required: required as Json }),
    ...(typeof description === 'string' && { description }),
  };
}

const plain = new Set([
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
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);

function keyword(
  key: string,
  value: Json,
  whole: Schema,
  detail: Detail,
  depth: number,
  state: State,
  inner: (below: Json) => Schema,
): Json | undefined {
  const isDeep = depth >= detail.depth;
  const cut = (): undefined => {
    state.isCut = true;
  };
  if (plain.has(key)) return value;
  if (key === 'required') return isDeep ? undefined : value;
  if (key === 'description' || key === 'title')
    return words(
      value,
      key === 'title' ? Math.min(detail.text, 80) : depth <= 1 ? Math.max(detail.text, 60) : detail.text,
      cut,
    );
  if (key === 'default' || key === 'examples' || key === 'deprecated')
    return detail.extras && Buffer.byteLength(JSON.stringify(value)) <= 200 ? value : undefined;
  if (key === 'enum') return Array.isArray(value) && value.length <= detail.enums ? spent(value, state) : cut();
  if (isDeep) return lists.has(key) || key === 'properties' || key === 'items' ? cut() : undefined;
  if (key === 'properties' && isRaw(value)) {
    const kept = entriesOf({ value }, 'value').filter(([, below]) => !(isRaw(below) && below['readOnly'] === true));
    return Object.fromEntries(
      kept.map(([name, below]) => {
        state.left -= name.length + 4;
        return [name, inner(below as Json)]; // what stands under a property was converted
      }),
    );
  }
  if (key === 'additionalProperties')
    return hidesNothing(whole) ? (isRaw(value) ? inner(value as Json) : value) : undefined;
  if (key === 'items') return inner(value);
  if (
    lists.has(key) &&
    Array.isArray(value) &&
    (value.length <= detail.branches || (key === 'allOf' && detail.branches > 0))
  )
    return value.map(inner);
  // `not`, `if` and the like would turn stricter when what they hold is shortened.
  return cut();
}

/** A rule for other properties may stay only where all that are declared are still shown. */
const hidesNothing = (whole: Schema): boolean =>
  whole['patternProperties'] === undefined &&
  !entriesOf(whole, 'properties').some(([, below]) => isRaw(below) && below['readOnly'] === true);

function words(value: Json, max: number, cut: () => undefined): string | undefined {
  if (typeof value !== 'string' || max === 0) return value === '' ? undefined : cut();
  const { text } = clean(value);
  const { value: kept, truncated } = truncateText(text.trim(), max);
  if (truncated) cut();
  return truncated ? `${kept.trimEnd()}…` : kept === '' ? undefined : kept;
}

function spent(value: readonly Json[], state: State): Json {
  state.left -= JSON.stringify(value).length;
  return value;
}

/** What a schema is at its plainest. */
function kindOf(schema: Schema): Schema {
  const type = schema['type'];
  return type === undefined ? {} : { type };
}

/** The last resort: names and kinds, and of those as many as fit, required ones first. */
function bare(schema: Schema, maxBytes: number): Schema {
  const required = Array.isArray(schema['required'])
    ? schema['required'].filter((name) => typeof name === 'string')
    : [];
  const all = entriesOf(schema, 'properties');
  const sorted = [
    ...all.filter(([name]) => required.includes(name)),
    ...all.filter(([name]) => !required.includes(name)),
  ];
  const properties: [string, JsonObject][] = [];
  let left = maxBytes - 100 - JSON.stringify(required).length;
  for (const [name, below] of sorted) {
    const kind = isRaw(below) ? kindOf(below as Schema) : {};
    left -= name.length * 2 + 40;
    if (left < 0) break;
    properties.push([name, kind]);
  }
  return {
    ...kindOf(schema),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(left >= 0 && required.length > 0 && { required }),
  };
}
