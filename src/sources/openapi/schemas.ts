import type { Json, JsonObject } from '../../core/json.js';
import { sha256 } from '../../lib/hash.js';
import type { Dialect } from './document.js';
import { readKeywords } from './keywords.js';
import { isReference, resolved, target, type Located, type RefFault } from './references.js';
import { entriesOf, isRaw, own, textOf, type Raw } from './values.js';

/** Which way a value travels: what is read-only is not asked of a request, what is write-only not of an answer. */
export type Direction = 'request' | 'reply';

/** A JSON Schema 2020-12 whose references all lead into `defs` of the same converter. */
export type Schema = JsonObject;

/** Turns schemas of a document into 2020-12, each shared one once, and only when somebody asks for it. */
export interface Schemas {
  /** The schema with references to `#/$defs/…`. */
  of(at: Located | undefined, direction: Direction): Schema;
  /** What stands under a name that `of` refers to. */
  def(name: string): Schema;
  /** The names that a schema leads to, directly or not, within a limit. */
  reach(schemas: readonly Schema[]): readonly string[];
}

const deepest = 64;
/** More shared schemas than this in one operation are not validated against: they would take seconds to compile. */
export const mostDefs = 1_500;

export type Report = (
  reason: RefFault | 'invalid_pattern' | 'slow_pattern' | 'malformed_schema' | 'deep_schema',
  message: string,
) => void;

/** A converter for one document; it never throws, whatever the schemas are. */
export function schemas(report: Report): Schemas {
  const names = new Map<string, { readonly at: Located; readonly direction: Direction }>();
  const made = new Map<string, Schema>();
  const known = new WeakMap<object, Map<Direction, string>>();

  const nameOf = (at: Located, pointer: string, direction: Direction): string => {
    const object = at.value as object; // only objects get here
    let byDirection = known.get(object);
    if (byDirection === undefined) known.set(object, (byDirection = new Map()));
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
      // Two documents may both have a component of this name.
      if (names.has(name)) name = `${name}_${sha256(`${pointer} ${names.size}`).slice(0, 6)}`;
      byDirection.set(direction, name);
      names.set(name, { at, direction });
    }
    return name;
  };

  function convert(at: Located, direction: Direction, depth: number): Schema {
    const { doc, value } = at;
    if (value === true) return {};
    if (value === false) return { not: {} };
    if (!isRaw(value)) {
      if (value !== undefined) report('malformed_schema', 'a schema is neither an object nor a boolean');
      return {};
    }
    if (depth > deepest) {
      report('deep_schema', `a schema is nested more than ${deepest} levels deep; what is below is not checked`);
      return {};
    }
    const inner = (below: unknown): Schema => convert({ doc, value: below }, direction, depth + 1);
    if (isReference(value)) return reference(at, value, direction, inner);
    // Which place a dynamic reference means depends on the way to it; the one it names here is the one meant without detours.
    const { $dynamicRef: dynamic, ...beside } = value;
    if (typeof dynamic === 'string') return reference(at, { ...beside, $ref: dynamic }, direction, inner);
    return nullable(
      readKeywords(value, doc.dialect, inner, report, requiredOf(at, value, direction)),
      value,
      doc.dialect,
    );
  }

  function reference(
    { doc }: Located,
    value: Raw & { readonly $ref: string },
    direction: Direction,
    inner: (below: unknown) => Schema,
  ): Schema {
    const found = target(doc, value.$ref);
    if (!found.ok) {
      report(found.fault, `a schema refers to ${value.$ref.slice(0, 200)}`);
      return {};
    }
    const end = resolved(found.at);
    if (!end.ok && end.fault === 'cyclic_ref') {
      report('cyclic_ref', `${value.$ref.slice(0, 200)} refers to nothing but itself`);
      return {};
    }
    if (!isRaw(found.at.value)) return convert(found.at, direction, 0);
    const name = nameOf(found.at, found.pointer, direction);
    // Before 3.1 nothing beside a reference counts; its description is harmless and helps.
    const { $ref: _, ...rest } = value;
    const beside = doc.dialect === '3.1' ? inner(rest) : describing(value);
    return { $ref: `#/$defs/${name}`, ...beside };
  }

  /** `required` without what travels only the other way. */
  function requiredOf({ doc }: Located, value: Raw, direction: Direction): (name: string) => boolean {
    const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
    const properties = own(value, 'properties');
    return (name) => {
      let at: Located = { doc, value: own(properties, name) };
      for (let hops = 0; hops < 8 && isReference(at.value) && own(at.value, mark) !== true; hops += 1) {
        const next = target(at.doc, at.value.$ref);
        if (!next.ok) return true;
        at = next.at;
      }
      return own(at.value, mark) !== true;
    };
  }

  const def = (name: string): Schema => {
    let schema = made.get(name);
    if (schema === undefined) {
      const from = names.get(name);
      made.set(name, {});
      schema = from === undefined ? {} : convert(from.at, from.direction, 0);
      made.set(name, schema);
    }
    return schema;
  };

  return {
    of: (at, direction) => (at === undefined ? {} : convert(at, direction, 0)),
    def,
    reach(from) {
      const found = new Set<string>();
      const todo: Schema[] = [...from];
      for (let schema = todo.pop(); schema !== undefined && found.size < mostDefs; schema = todo.pop()) {
        for (const name of refsIn(schema)) {
          if (found.has(name)) continue;
          found.add(name);
          todo.push(def(name));
        }
      }
      return [...found];
    },
  };
}

const describing = (value: Raw): Schema => {
  const description = textOf(value, 'description');
  return description === undefined ? {} : { description };
};

/** 3.0 and 2.0 say beside a type that null is fine too. */
function nullable(schema: Schema, raw: Raw, dialect: Dialect): Schema {
  if (dialect === '3.1' || (own(raw, 'nullable') !== true && own(raw, 'x-nullable') !== true)) return schema;
  const { type, enum: values } = schema;
  if (typeof type === 'string')
    return {
      ...schema,
      type: [type, 'null'],
      ...(isList(values) && !values.includes(null) && { enum: [...values, null] }),
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

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const prefix = '#/$defs/';

/** The shared schemas that a schema names itself; a property called `$ref` is not one of them. */
export function* refsIn(schema: Schema): Generator<string> {
  const ref = schema['$ref'];
  if (typeof ref === 'string' && ref.startsWith(prefix)) yield ref.slice(prefix.length);
  for (const below of subschemas(schema)) yield* refsIn(below);
}

const single = [
  'additionalProperties',
  'items',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedProperties',
  'unevaluatedItems',
];
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const tables = ['properties', 'patternProperties', 'dependentSchemas'];

/** The schemas inside a converted one. */
export function* subschemas(schema: Schema): Generator<Schema> {
  for (const key of single) {
    const below = schema[key];
    if (isRaw(below)) yield below as Schema; // what stands there was converted
  }
  for (const key of several) {
    const below = schema[key];
    if (isList(below)) for (const item of below) if (isRaw(item)) yield item as Schema;
  }
  for (const key of tables) for (const [, below] of entriesOf(schema, key)) if (isRaw(below)) yield below as Schema;
}
