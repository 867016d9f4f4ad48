import { ancestry, descendsFrom } from '../../evaluate/calls/classes.js';
import type { Machine } from '../../evaluate/interpreter/abstract-machine.js';
import { memberOf } from '../../evaluate/values/members.js';
import {
  constant,
  isVoid,
  optionsOf,
  soleOption,
  stringOf,
  type ClassValue,
  type Result,
  type Value,
} from '../../evaluate/values/values.js';
import { keysOf } from '../../evaluate/builtins/objects.js';
import { paramSchema, pythonField } from './schema-python.js';
import type { InputSchema } from '../report.js';
import { zodField } from './schema-zod.js';

/** Converts a zod schema or shape, a JSON Schema or a model class into an input schema. */
export function schemaOf(machine: Machine, value: Value | undefined): InputSchema | undefined {
  if (!value || (value.kind === 'constant' && (value.value === undefined || value.value === null))) return undefined;
  for (const each of optionsOf(value)) {
    const found = toInputSchema(machine, each, 0);
    if (found) return found;
  }
  // A schema that cannot be read is marked as partial, so that comparisons do not report false differences.
  return { type: 'object', properties: {}, partial: true };
}

/** Input schema of one possible value; undefined if it is none. */
function toInputSchema(machine: Machine, given: Value, depth: number): InputSchema | undefined {
  const value = soleOption(given);
  if (depth > 12) return undefined;
  if (value.kind === 'object') return fromObject(machine, value);
  if (value.kind === 'class') return fromClass(machine, value);
  if (value.kind !== 'result') return undefined;
  const [first] = value.args.positional;
  if (/^(?:z\.)?(?:object|strictObject|looseObject|strict|interface)$/.test(value.method) && first?.kind === 'object')
    return fromShape(machine, first);
  if (/^to[A-Z]/.test(value.method) && value.receiver?.kind === 'result')
    return toInputSchema(machine, value.receiver, depth + 1);
  if (
    /^(?:zodToJsonSchema|toJSONSchema|toJsonSchema|zodToMcp|jsonSchema|toJsonSchemaCompat|Object)$/.test(
      value.method,
    ) &&
    first
  )
    return toInputSchema(machine, first, depth + 1);
  if (/^(?:model_json_schema|schema|schema_json)$/.test(value.method) && value.receiver)
    return toInputSchema(machine, value.receiver, depth + 1);
  if (/^(?:extend|merge|safeExtend|and)$/.test(value.method) && value.receiver)
    return extendSchema(machine, value, depth);
  if (/^(?:pick|omit)$/.test(value.method) && value.receiver) return pickFields(machine, value, depth);
  // `.describe()`, `.strict()`, `.shape`, `.refine()` and similar calls do not change the fields.
  if (value.receiver) return toInputSchema(machine, value.receiver, depth + 1);
  return first && first.kind !== 'constant' ? toInputSchema(machine, first, depth + 1) : undefined;
}

/** Fields of both schemas; later ones override. */
function extendSchema(machine: Machine, value: Result, depth: number): InputSchema | undefined {
  const base = value.receiver && toInputSchema(machine, value.receiver, depth + 1);
  const [more] = value.args.positional;
  const added = more && toInputSchema(machine, more, depth + 1);
  if (!base || !added) return base ?? added;
  return {
    type: 'object',
    properties: { ...base.properties, ...added.properties },
    ...requiredFields([
      // A field that the extension redefines is required by its rules only.
      ...(base.required ?? []).filter((key) => !Object.hasOwn(added.properties, key)),
      ...(added.required ?? []),
    ]),
    ...(base.partial === true || added.partial === true ? { partial: true } : {}),
  };
}

/** Fields that `pick` keeps or `omit` leaves. */
function pickFields(machine: Machine, value: Result, depth: number): InputSchema | undefined {
  const base = value.receiver && toInputSchema(machine, value.receiver, depth + 1);
  const [mask] = value.args.positional;
  if (!base || mask?.kind !== 'object') return base;
  const keep = (key: string) => mask.props.has(key) === (value.method === 'pick');
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(base.properties).filter(([key]) => keep(key))),
    ...requiredFields((base.required ?? []).filter(keep)),
    ...(base.partial === true ? { partial: true } : {}),
  };
}

/** `required` only if there are names, as JSON Schema wants it. */
const requiredFields = (names: readonly string[]): { required?: readonly string[] } =>
  names.length > 0 ? { required: names } : {};

/** Reads an object literal: a JSON Schema, a schema instance or a zod shape. */
function fromObject(machine: Machine, value: Value & { kind: 'object' }): InputSchema | undefined {
  const properties = soleOption(memberOf(machine, value, 'properties'));
  // `properties: converted.properties`: use the schema before the conversion.
  const derived = optionsOf(properties).find((each) => each.kind === 'result' && each.method === '.properties');
  if (derived) return toInputSchema(machine, derived, 6);
  const isJsonSchema =
    properties.kind === 'object' || stringOf(value.props.get('type')) === 'object' || value.props.has('$schema');
  if (!isJsonSchema) return value.cls ? fromInstance(machine, value) : fromShape(machine, value);
  const made = new Map<string, unknown>();
  if (properties.kind === 'object')
    for (const key of keysOf(properties)) made.set(key, toPlainData(machine, memberOf(machine, properties, key), 0));
  const needed = soleOption(memberOf(machine, value, 'required'));
  return {
    type: 'object',
    properties: Object.fromEntries(made),
    ...requiredFields(needed.kind === 'list' ? needed.items.flatMap((item) => stringOf(item) ?? []) : []),
    ...(value.open || properties.kind === 'unknown' || (properties.kind === 'object' && properties.open)
      ? { partial: true }
      : {}),
  };
}

/** Reads a schema instance of a bundled library by its definition. */
function fromInstance(machine: Machine, value: Value & { kind: 'object' }): InputSchema | undefined {
  const definition = value.props.get('_def') ?? value.props.get('def');
  const shape = memberOf(machine, value, 'shape');
  if (shape.kind === 'object') return fromShape(machine, shape);
  const inner = definition?.kind === 'object' ? memberOf(machine, definition, 'shape') : undefined;
  return inner?.kind === 'object' ? fromShape(machine, inner) : undefined;
}

/** Reads a zod shape field by field. */
function fromShape(machine: Machine, shape: Value & { kind: 'object' }): InputSchema {
  const properties = new Map<string, unknown>();
  const needed: string[] = [];
  for (const key of keysOf(shape)) {
    const field = zodField(machine, memberOf(machine, shape, key));
    properties.set(key, field.schema);
    if (!field.optional) needed.push(key);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...requiredFields(needed),
    ...(shape.open ? { partial: true } : {}),
  };
}

/** Reads a pydantic model, dataclass or TypedDict: annotated fields, inherited ones first. */
function fromClass(machine: Machine, cls: ClassValue): InputSchema | undefined {
  const properties = new Map<string, unknown>();
  const needed: string[] = [];
  for (const each of ancestry(cls).toReversed()) {
    for (const member of each.cls.members) {
      if (
        member.kind !== 'field' ||
        !member.annotation ||
        // Private fields and the model's configuration are no fields of the input.
        member.name.startsWith('_') ||
        member.name === 'model_config'
      )
        continue;
      const field = pythonField(machine, member.annotation, member.value, each);
      properties.set(field.alias ?? member.name, field.schema);
      if (!field.optional) needed.push(field.alias ?? member.name);
    }
  }
  // A model that inherits from a library may have fields that are not visible here.
  const inherits = descendsFrom(
    cls,
    (base) => base.kind === 'external' && !/^(?:BaseModel|TypedDict|Generic|ABC|object)$/.test(base.path.at(-1) ?? ''),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...requiredFields(needed),
    ...(inherits && properties.size === 0 ? { partial: true } : {}),
  };
}

/** Converts an abstract value into plain data; omits unknown parts. */
export function toPlainData(machine: Machine, value: Value, depth: number): unknown {
  if (value.kind === 'constant') return value.value ?? null;
  if (value.kind === 'text') return value.parts.map((part) => (typeof part === 'string' ? part : '…')).join('');
  // Cyclic values exist: a model may refer to itself.
  if (depth > 10) return {};
  if (value.kind === 'list') return value.items.slice(0, 1_000).map((item) => toPlainData(machine, item, depth + 1));
  // An enum member stands for its value.
  if (value.kind === 'object' && value.cls && value.props.has('value'))
    return toPlainData(machine, value.props.get('value') ?? value, depth + 1);
  if (value.kind === 'object')
    return Object.fromEntries(
      keysOf(value).map((key) => [key, toPlainData(machine, memberOf(machine, value, key), depth + 1)]),
    );
  // The first possible value that is set stands for all.
  if (value.kind === 'choice')
    return toPlainData(machine, value.options.find((option) => !isVoid(option)) ?? constant(null), depth + 1);
  return {};
}

export { paramSchema };
