import type { Json, JsonObject } from '../../../core/json.js';
import { sha256 } from '../../../lib/hash.js';
import type { Dialect } from '../document/parse.js';
import { convertKeywords, schemaListKeywords, singleSchemaKeywords } from './keywords.js';
import {
  isReference,
  resolveReference,
  followReference,
  type Located,
  type ReferenceProblem,
} from '../document/references.js';
import { fieldEntries, isRawObject, ownField, textField, type RawObject } from '../document/fields.js';

/** Direction of a value: read-only properties are not required in requests, write-only ones not in replies. */
type Direction = 'request' | 'reply';

/** A JSON Schema 2020-12 whose references all point to definitions of the same converter. */
export type Schema = JsonObject;

/** Converts schemas of a document to JSON Schema 2020-12; shared schemas are converted once and lazily. */
export interface SchemaConverter {
  /** Converts a schema; shared parts become references to `#/$defs/…`. */
  convert(at: Located | undefined, direction: Direction): Schema;
  /** The definition behind a name in `#/$defs/`. */
  def(name: string): Schema;
  /** Names of all definitions that the schemas reach, up to `maxDefinitions`. */
  reachableNames(schemas: readonly Schema[]): readonly string[];
}

/** Deeper schemas are not validated. */
const maxSchemaDepth = 64;
/** Definitions beyond this number are not validated: compiling them would take seconds. */
const maxDefinitions = 1_500;

/** Receives what could not be converted. */
export type ReportProblem = (
  reason: ReferenceProblem | 'invalid_pattern' | 'slow_pattern' | 'malformed_schema' | 'deep_schema',
  message: string,
) => void;

/** Converter for one document; never throws on malformed schemas. */
export function schemaConverter(report: ReportProblem): SchemaConverter {
  const names = new Map<string, { readonly at: Located; readonly direction: Direction }>();
  const definitions = new Map<string, Schema>();
  const nameCache = new WeakMap<object, Map<Direction, string>>();

  // Names are stable, because clients cache definitions.
  const nameOf = (at: Located, pointer: string, direction: Direction): string => {
    const object = at.value as object; // callers pass objects only
    let byDirection = nameCache.get(object);
    if (byDirection === undefined) nameCache.set(object, (byDirection = new Map()));
    let name = byDirection.get(direction);
    if (name === undefined) {
      const plain = /^#\/(?:components\/schemas|definitions)\/([A-Za-z0-9_.-]+)$/.exec(pointer)?.[1];
      const last =
        pointer
          .split('/')
          .at(-1)
          ?.replaceAll(/[^A-Za-z0-9_.-]/g, '_')
          .slice(0, 40) ?? '';
      name = `${plain ?? `${last}_${sha256(pointer).slice(0, 6)}`}${direction === 'reply' ? '.reply' : ''}`;
      // Two documents may have components of the same name.
      if (names.has(name)) name = `${name}_${sha256(`${pointer} ${names.size}`).slice(0, 6)}`;
      byDirection.set(direction, name);
      names.set(name, { at, direction });
    }
    return name;
  };

  function convert(at: Located, direction: Direction, depth: number): Schema {
    const { doc, value } = at;
    // Boolean schemas: true accepts everything, false nothing.
    if (value === true) return {};
    if (value === false) return { not: {} };
    if (!isRawObject(value)) {
      if (value !== undefined) report('malformed_schema', 'a schema is neither an object nor a boolean');
      return {};
    }
    if (depth > maxSchemaDepth) {
      report(
        'deep_schema',
        `a schema is nested more than ${maxSchemaDepth} levels deep; deeper levels are not validated`,
      );
      return {};
    }
    const inner = (below: unknown): Schema => convert({ doc, value: below }, direction, depth + 1);
    if (isReference(value)) return reference(at, value, direction, inner);
    // A `$dynamicRef` depends on the dynamic scope; it is resolved statically, which is correct without overriding anchors.
    const { $dynamicRef: dynamic, ...beside } = value;
    if (typeof dynamic === 'string') return reference(at, { ...beside, $ref: dynamic }, direction, inner);
    const made = convertKeywords(value, doc.dialect, inner, report, requiredOf(at, value, direction));
    // In a reply `readOnly` restricts nothing; in a request it hides the property from callers.
    const { readOnly: _, ...reply } = made;
    return applyNullable(direction === 'reply' ? reply : made, value, doc.dialect);
  }

  // A reference to a shared schema; its definition is converted when it is needed.
  function reference(
    { doc }: Located,
    value: RawObject & { readonly $ref: string },
    direction: Direction,
    inner: (below: unknown) => Schema,
  ): Schema {
    const found = followReference(doc, value.$ref);
    if (!found.ok) {
      report(found.problem, `a schema refers to ${value.$ref.slice(0, 200)}`);
      return {};
    }
    const end = resolveReference(found.at);
    if (!end.ok && end.problem === 'cyclic_ref') {
      report('cyclic_ref', `${value.$ref.slice(0, 200)} refers only to itself`);
      return {};
    }
    if (!isRawObject(found.at.value)) return convert(found.at, direction, 0);
    const name = nameOf(found.at, found.pointer, direction);
    // Before 3.1 siblings of `$ref` are ignored; only the description is kept, since it helps the model.
    const { $ref: _, ...rest } = value;
    const beside = doc.dialect === '3.1' ? inner(rest) : descriptionOnly(value);
    return { $ref: `#/$defs/${name}`, ...beside };
  }

  /** Filters `required` by direction: read-only or write-only properties are dropped. */
  function requiredOf({ doc }: Located, value: RawObject, direction: Direction): (name: string) => boolean {
    const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
    const properties = ownField(value, 'properties');
    return (name) => {
      let at: Located = { doc, value: ownField(properties, name) };
      for (let hops = 0; hops < 8 && isReference(at.value) && ownField(at.value, mark) !== true; hops += 1) {
        const next = followReference(at.doc, at.value.$ref);
        if (!next.ok) return true;
        at = next.at;
      }
      return ownField(at.value, mark) !== true;
    };
  }

  const def = (name: string): Schema => {
    let schema = definitions.get(name);
    if (schema === undefined) {
      const from = names.get(name);
      // An empty definition first, so that recursion ends here.
      definitions.set(name, {});
      schema = from === undefined ? {} : convert(from.at, from.direction, 0);
      definitions.set(name, schema);
    }
    return schema;
  };

  return {
    convert: (at, direction) => (at === undefined ? {} : convert(at, direction, 0)),
    def,
    reachableNames(from) {
      const found = new Set<string>();
      const todo: Schema[] = [...from];
      for (let schema = todo.pop(); schema !== undefined && found.size < maxDefinitions; schema = todo.pop()) {
        for (const name of referencedNames(schema)) {
          if (found.has(name)) continue;
          found.add(name);
          todo.push(def(name));
        }
      }
      return [...found];
    },
  };
}

/** The description beside a reference. */
const descriptionOnly = (value: RawObject): Schema => {
  const description = textField(value, 'description');
  return description === undefined ? {} : { description };
};

/** Applies `nullable` of 3.0 and `x-nullable` of 2.0. */
function applyNullable(schema: Schema, raw: RawObject, dialect: Dialect): Schema {
  if (dialect === '3.1' || (ownField(raw, 'nullable') !== true && ownField(raw, 'x-nullable') !== true)) return schema;
  const { type, enum: values } = schema;
  if (typeof type === 'string')
    return {
      ...schema,
      type: [type, 'null'],
      ...(isJsonList(values) && !values.includes(null) && { enum: [...values, null] }),
    };
  if (type === undefined && !['allOf', 'anyOf', 'oneOf', 'enum', 'not'].some((key) => Object.hasOwn(schema, key)))
    return schema;
  const { description, title, ...rest } = schema;
  return {
    anyOf: [rest, { type: 'null' }],
    ...(description !== undefined && { description }),
    ...(title !== undefined && { title }),
  };
}

/** Narrows to a list. */
const isJsonList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Prefix of references inside of a converted schema. */
const defsPrefix = '#/$defs/';

/** Names of definitions that a schema refers to directly; a property named `$ref` is not a reference. */
export function* referencedNames(schema: Schema): Generator<string> {
  const ref = schema['$ref'];
  if (typeof ref === 'string' && ref.startsWith(defsPrefix)) yield ref.slice(defsPrefix.length);
  for (const below of subschemas(schema)) yield* referencedNames(below);
}

/** Keywords with one subschema. */
const subschemaKeywords = ['additionalProperties', 'items', ...singleSchemaKeywords];
/** Keywords with a map of subschemas. */
const subschemaMapKeywords = ['properties', 'patternProperties', 'dependentSchemas'];

/** Direct subschemas of a converted schema. */
function* subschemas(schema: Schema): Generator<Schema> {
  for (const key of subschemaKeywords) {
    const below = schema[key];
    if (isRawObject(below)) yield below as Schema; // already converted
  }
  for (const key of schemaListKeywords) {
    const below = schema[key];
    if (isJsonList(below)) for (const item of below) if (isRawObject(item)) yield item as Schema;
  }
  for (const key of subschemaMapKeywords)
    for (const [, below] of fieldEntries(schema, key)) if (isRawObject(below)) yield below as Schema;
}
