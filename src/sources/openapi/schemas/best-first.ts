import type { Json } from '../../../core/json.js';
import { isPortablePattern } from '../../../lib/text/portable-pattern.js';
import { fieldEntries, isRawObject } from '../document/fields.js';
import type { AbbreviatedSchema } from './abbreviate.js';
import type { Schema, SchemaConverter } from './converter.js';
import { mergeAllOf } from './merge-all-of.js';
import { cleanText } from './prose.js';

/** A place in the result that is to be filled. */
interface Place {
  readonly source: Schema;
  /** Filled in when the place is expanded; until then it shows the type only. */
  readonly made: Record<string, Json>;
  readonly depth: number;
  readonly isRequired: boolean;
  /** Definitions on the way here, to end recursion. */
  readonly names: readonly string[];
  readonly pointer: string;
  /** Puts the place into its parent, once; false if it does not fit. Absent if it is there already. */
  readonly attach?: () => boolean;
}

/** Share of the budget for the structure; descriptions get the rest. */
const structureShare = 0.75;
/** Longer enumerations are left out and reported. */
const maxEnumValues = 60;
/** Omitted places that are reported. */
const maxOmitted = 20;

/** Keywords that are copied if they fit. */
const plainKeywords = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'format',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'uniqueItems',
  'const',
  'contentEncoding',
  'contentMediaType',
  'deprecated',
];
/** Keywords that this function handles; a schema with others is incomplete. */
const handledKeywords = new Set([
  ...plainKeywords,
  '$ref',
  'type',
  'enum',
  'pattern',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
  'title',
  'description',
  'default',
  'examples',
  'readOnly',
  'writeOnly',
]);

/** The most important parts of a schema: near the root first, and required before optional. */
export function expandBestFirst(
  schema: Schema,
  defs: Pick<SchemaConverter, 'def'>,
  maxBytes: number,
  maxDepth: number,
): AbbreviatedSchema {
  // Structure first: a model needs names and types more than descriptions.
  let left = Math.floor(maxBytes * structureShare);
  // Buckets by rank, which are cheaper than a heap for these few ranks.
  const queue: Place[][] = [];
  const expanded: Place[] = [];
  const omitted: string[] = [];
  /** What can be decided only when it is known which properties are shown. */
  const closing: (() => void)[] = [];
  const omit = (pointer: string): void => {
    if (omitted.length < maxOmitted) omitted.push(pointer);
  };
  const enqueue = (place: Place, rank: number): void => void (queue[rank] ??= []).push(place);
  const add = (place: Place): Place => {
    // An optional part competes with required ones a level and a half deeper.
    enqueue(place, place.depth * 2 + (place.isRequired ? 0 : 3));
    return place;
  };
  const child = (from: Place, below: unknown, step: string, isRequired: boolean): Place => {
    const source = isRawObject(below) ? (below as Schema) : {}; // already converted
    const { type } = dereferenced(source, defs);
    const made: Record<string, Json> = type === undefined ? {} : { type };
    return {
      source,
      made,
      depth: from.depth + 1,
      isRequired: isRequired && from.isRequired,
      names: from.names,
      pointer: `${from.pointer}${step}`,
    };
  };
  // Every byte is paid before it is added.
  const spend = (bytes: number): boolean => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };

  const root: Place = { source: schema, made: {}, depth: 0, isRequired: true, names: [], pointer: '' };
  add(root);
  for (let rank = 0; rank < queue.length; rank += 1)
    for (const place of queue[rank] ?? []) {
      const { attach, ...attached } = place;
      if (attach !== undefined) {
        // The names of all optional parts come before the details of one.
        if (attach()) enqueue(attached, rank + 1);
        else omit(place.pointer);
      } else if (place.depth > maxDepth || !expand(place)) omit(place.pointer);
    }
  // Only now is it known which properties are shown.
  for (const close of closing) close();
  left += Math.floor(maxBytes * (1 - structureShare));
  for (const place of expanded) describe(place);
  return { schema: mergeBelow(root.made) as Schema, isAbbreviated: omitted.length > 0, omitted };

  /** Fills one place; false if it stays as it is. */
  function expand(given: Place): boolean {
    const followed = follow(given);
    if (followed === undefined) return false;
    const { place, source } = followed;
    const { made, pointer } = place;
    let complete = Object.keys(source).every((key) => handledKeywords.has(key));
    const keep = (key: string, value: Json): boolean => {
      if (!spend(key.length + 4 + Buffer.byteLength(JSON.stringify(value)))) return false;
      // Paid by its serialised size.
      made[key] = value;
      return true;
    };
    const { type, enum: values, pattern, required, items } = source;
    if (type !== undefined && made['type'] === undefined && !keep('type', type)) return false;
    for (const key of plainKeywords) if (source[key] !== undefined && !keep(key, source[key])) complete = false;
    if (typeof pattern === 'string' && isPortablePattern(pattern) && !keep('pattern', pattern)) complete = false;
    if (Array.isArray(values) && !(values.length <= maxEnumValues && keep('enum', values))) complete = false;
    if (Array.isArray(required) && required.length > 0 && !keep('required', required)) complete = false;
    expandProperties(place, source);
    const { additionalProperties: extra } = source;
    if (isRawObject(extra) && source['properties'] === undefined && source['patternProperties'] === undefined)
      expandOne(place, 'additionalProperties', extra);
    else if (extra === false && source['patternProperties'] === undefined)
      closing.push(() => {
        const shown = isRawObject(made['properties']) ? Object.keys(made['properties']).length : 0;
        // With a hidden property it would reject what the full schema accepts.
        if (shown > 0 && shown === fieldEntries(source, 'properties').length) keep('additionalProperties', false);
      });
    if (isRawObject(items) && !expandOne(place, 'items', items)) complete = false;
    for (const key of ['allOf', 'anyOf', 'oneOf', 'prefixItems']) {
      const branches = source[key];
      // Branches may overlap once abbreviated, so `oneOf` would reject values that the full schema accepts.
      const target = key === 'oneOf' ? 'anyOf' : key;
      if (!Array.isArray(branches)) continue;
      if (made[target] !== undefined || !spend(target.length + 6 + branches.length * 24)) {
        complete = false;
        continue;
      }
      made[target] = branches.map(
        (branch: Json, index) => add(child(place, branch, `/${key}/${index}`, key === 'allOf')).made,
      );
    }
    if (!complete) omit(pointer);
    expanded.push(place);
    return true;
  }

  /** The schema behind the references of a place; undefined for recursion. */
  function follow(place: Place): { readonly place: Place; readonly source: Schema } | undefined {
    // References are followed until a definition repeats.
    let { source, names } = place;
    const beside: Schema[] = [];
    while (typeof source['$ref'] === 'string') {
      const name = source['$ref'].slice('#/$defs/'.length);
      if (names.includes(name)) return undefined;
      names = [...names, name];
      const { $ref: _, ...rest } = source;
      beside.push(rest);
      source = defs.def(name);
    }
    const description = beside.find((each) => each['description'] !== undefined)?.['description'];
    const also = beside.filter((each) => Object.keys(each).some((key) => key !== 'description' && key !== 'title'));
    const whole = {
      ...source,
      ...(description !== undefined && { description }),
      ...(also.length > 0 && { allOf: [...(Array.isArray(source['allOf']) ? source['allOf'] : []), ...also] }),
    };
    return { place: { ...place, source: whole, names }, source: whole };
  }

  /** Adds required properties, and queues optional ones. */
  function expandProperties(place: Place, source: Schema): void {
    const needed = new Set(Array.isArray(source['required']) ? source['required'] : []);
    const shown: Record<string, Json> = {};
    const show = (name: string, next: Place): boolean => {
      if (!spend(Buffer.byteLength(name) + 6 + JSON.stringify(next.made).length)) return false;
      place.made['properties'] = shown;
      shown[name] = next.made;
      return true;
    };
    for (const [name, below] of fieldEntries(source, 'properties')) {
      // A caller does not send read-only properties.
      if (isRawObject(below) && below['readOnly'] === true) continue;
      const isRequired = needed.has(name);
      const next = child(place, below, `/properties/${escapePointer(name)}`, isRequired);
      if (!isRequired) add({ ...next, attach: () => show(name, next) });
      else if (show(name, next)) add(next);
      else omit(next.pointer);
    }
  }

  /** Adds a single subschema, such as `items`. */
  function expandOne(place: Place, key: string, below: unknown): boolean {
    const next = child(place, below, `/${key}`, true);
    if (!spend(key.length + 6 + JSON.stringify(next.made).length)) return false;
    place.made[key] = add(next).made;
    return true;
  }

  /** Adds the description of an expanded place, and its default. */
  function describe({ source, made, depth, pointer }: Place): void {
    const { description, default: preset } = source;
    if (preset !== undefined && JSON.stringify(preset).length <= 200 && spend(12 + JSON.stringify(preset).length))
      made['default'] = preset;
    if (typeof description !== 'string' || description.trim() === '') return;
    const text = cleanText(description, depth <= 1 ? 400 : 160);
    if (text === '') return;
    if (spend(18 + Buffer.byteLength(JSON.stringify(text)))) {
      made['description'] = text;
      if (text.endsWith('…')) omit(pointer);
    } else omit(pointer);
  }
}

/** A name as a part of a JSON pointer. */
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The schema behind the references at the top of a schema. */
function dereferenced(schema: Schema, defs: Pick<SchemaConverter, 'def'>): Schema {
  let found = schema;
  for (let hops = 0; hops < 8 && typeof found['$ref'] === 'string'; hops += 1)
    found = defs.def(found['$ref'].slice('#/$defs/'.length));
  return found;
}

/** Keywords with data, which must not be changed. */
const dataKeywords = new Set(['const', 'default', 'enum', 'examples']);

/** Merges `allOf` from the innermost schema outwards. */
function mergeBelow(value: Json): Json {
  if (Array.isArray(value)) return value.map(mergeBelow);
  if (!isRawObject(value)) return value;
  const made: Record<string, Json> = {};
  for (const [key, below] of Object.entries(value))
    made[key] = dataKeywords.has(key) ? (below as Json) : mergeBelow(below as Json); // a schema that was just made
  return mergeAllOf(made);
}
