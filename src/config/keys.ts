import { z } from 'zod';
import { rangeOf } from './clamp.js';
import { schema } from './schema.js';

/** The parts of a generated JSON Schema that are used. */
export interface Shape {
  readonly title?: string;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
  readonly items?: Shape;
  readonly oneOf?: readonly Shape[];
  readonly anyOf?: readonly Shape[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Set if the key is read at the start only. */
  readonly 'x-reload'?: 'restart';
  /** A secret: it can be set but is never shown. */
  readonly writeOnly?: boolean;
}

/** One key of the file; in the path `*` is any name, `[]` any list item, `(kind)` one kind of source. */
export interface Key {
  readonly path: readonly string[];
  readonly shape: Shape;
  readonly isRequired: boolean;
}

/** JSON Schema for editors, with the range of each number. */
export function editorSchema(): Shape {
  // zod's JSON Schema type is wider than the parts used here.
  const generated = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' }) as Shape;
  return { ...withRanges(generated, []), title: 'Toolgate configuration' };
}

/** Replaces safe-integer bounds, which are noise, by the clamping ranges, which editors should warn about. */
function withRanges(shape: Shape, path: readonly string[]): Shape {
  if (shape.type === 'number' || shape.type === 'integer') {
    const { minimum, maximum, ...rest } = shape;
    // Without a declared range the bounds of the schema itself stay.
    const [low, high] = rangeOf(path) ?? [minimum, maximum];
    return { ...rest, ...(isBound(low) && { minimum: low }), ...(isBound(high) && { maximum: high }) };
  }
  return {
    ...shape,
    ...(shape.properties && {
      properties: Object.fromEntries(
        Object.entries(shape.properties).map(([key, inner]) => [key, withRanges(inner, [...path, key])]),
      ),
    }),
    ...(typeof shape.additionalProperties === 'object' && {
      additionalProperties: withRanges(shape.additionalProperties, [...path, '*']),
    }),
    ...(shape.items && { items: withRanges(shape.items, [...path, '[]']) }),
  };
}

/** Whether a bound means something: zod writes the safe-integer range where none was given. */
const isBound = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER;

/** All keys of a file, in schema order. */
export function keysOf(shape: Shape, path: readonly string[] = []): readonly Key[] {
  const below = (inner: Shape, name: string, isRequired: boolean): readonly Key[] => [
    { path: [...path, name], shape: inner, isRequired },
    ...keysOf(inner, [...path, name]),
  ];
  return [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, inner]) =>
      below(inner, name, shape.required?.includes(name) === true),
    ),
    ...(typeof shape.additionalProperties === 'object' ? keysOf(shape.additionalProperties, [...path, '*']) : []),
    ...(shape.items ? keysOf(shape.items, [...path, '[]']) : []),
    // Variants of a union are distinguished by their kind, because they may share key names.
    ...(shape.oneOf ?? shape.anyOf ?? []).flatMap((kind) =>
      keysOf(kind, [...path, `(${String(kind.properties?.['kind']?.const ?? kind.type)})`]),
    ),
  ];
}

/** When a change of a key takes effect: with the reload of the file, or at the next start. */
type Reload = 'live' | 'restart';

/** Generated once: building the JSON Schema takes longer than all lookups of a reload. */
let knownSchema: Shape | undefined;

/** Reload behaviour of a key, by its path in a configuration or in the schema. */
export function reloadOf(path: readonly string[]): Reload {
  const visit = (shape: Shape | undefined, rest: readonly string[]): Reload => {
    // A mark on a section holds for every key below it.
    if (shape?.['x-reload'] === 'restart') return 'restart';
    const [key, ...more] = rest;
    if (shape === undefined || key === undefined) return 'live';
    // Object.hasOwn: the path comes from a file and may be `__proto__`.
    const named =
      shape.properties !== undefined && Object.hasOwn(shape.properties, key) ? shape.properties[key] : undefined;
    const any = typeof shape.additionalProperties === 'object' ? shape.additionalProperties : undefined;
    return visit(named ?? any, more);
  };
  return visit((knownSchema ??= editorSchema()), path);
}
