import type { Json, JsonObject } from '../../core/json.js';
import { sha256 } from '../../lib/hash.js';
import { bodyKind, type BodyKind } from './body-kinds.js';
import type { Body, Operation, Parameter } from './model.js';
import type { Schema, Schemas } from './schemas.js';
import { entriesOf, isRaw } from './values.js';

/** Where one argument goes. */
export interface Slot {
  /** The name callers use. */
  readonly argument: string;
  readonly parameter: Parameter;
  readonly schema: Schema;
}

export interface BodySlot {
  readonly argument: string;
  readonly body: Body;
  readonly kind: BodyKind;
  readonly schema: Schema;
}

/** Which argument goes where, worked out once per operation. */
export interface Plan {
  readonly slots: readonly Slot[];
  readonly body?: BodySlot;
  /** The whole input schema, still with references. */
  readonly input: Schema;
}

const places = ['path', 'query', 'querystring', 'header', 'cookie'];

/** Gives every parameter and the body an argument of its own. Names depend on the operation alone and suit every client. */
export function planOf(
  operation: Operation,
  schemas: Schemas,
  overrides: Readonly<Record<string, JsonObject>> = {},
): Plan {
  const parameters = operation.parameters.toSorted((one, other) => places.indexOf(one.in) - places.indexOf(other.in));
  const counted = new Map<string, number>();
  for (const { name } of parameters) counted.set(plain(name), (counted.get(plain(name)) ?? 0) + 1);
  const taken = new Set<string>();
  const free = (wanted: string, identity: string): string => {
    const name = taken.has(wanted) ? `${wanted.slice(0, 55)}_${sha256(identity).slice(0, 8)}` : wanted;
    taken.add(name);
    return name;
  };
  const schemaFor = (argument: string, made: Schema): Schema =>
    Object.hasOwn(overrides, argument) ? (overrides[argument] ?? made) : made;

  const slots = parameters.map((parameter): Slot => {
    const base = plain(parameter.name);
    const argument = free(
      (counted.get(base) ?? 0) > 1 ? `${base}_${parameter.in}` : base,
      `${parameter.in} ${parameter.name}`,
    );
    const schema = schemas.of(parameter.schema, 'request');
    return {
      argument,
      parameter,
      schema: schemaFor(argument, described(schema, parameter.description, parameter.deprecated)),
    };
  });
  const body =
    operation.body && bodySlot(operation.body, free(taken.has('body') ? 'request_body' : 'body', 'body'), schemas);
  const planned = body && { ...body, schema: schemaFor(body.argument, body.schema) };
  const required = [
    ...slots.filter(({ parameter }) => parameter.required).map(({ argument }) => argument),
    ...(planned?.body.required ? [planned.argument] : []),
  ];
  const properties = [
    ...slots.map(({ argument, schema }) => [argument, schema] as const),
    ...(planned ? [[planned.argument, planned.schema] as const] : []),
  ];
  return {
    slots,
    ...(planned && { body: planned }),
    input: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
  };
}

/** Providers accept argument names of these characters only. */
const plain = (name: string): string => {
  const safe = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  if (safe === '') return `argument_${sha256(name).slice(0, 8)}`;
  return safe.length <= 64 ? safe : `${safe.slice(0, 55)}_${sha256(name).slice(0, 8)}`;
};

function described(schema: Schema, description: string | undefined, deprecated: boolean): Schema {
  return {
    ...schema,
    ...(description !== undefined && description !== '' && { description }),
    ...(deprecated && { deprecated: true }),
  };
}

function bodySlot(body: Body, argument: string, schemas: Schemas): BodySlot {
  const kind = bodyKind(body.mediaType);
  const made = schemas.of(body.schema, 'request');
  const schema =
    kind === 'json' || kind === 'form'
      ? made
      : kind === 'multipart'
        ? withFiles(made, schemas, body)
        : kind === 'binary'
          ? fileSchema
          : { type: 'string', description: `The body as ${body.mediaType}` };
  return {
    argument,
    body,
    kind,
    schema: described(
      schema,
      body.description ?? (typeof schema['description'] === 'string' ? schema['description'] : undefined),
      false,
    ),
  };
}

/** Bytes in an argument: base64, alone or with the name they are sent under. */
const fileSchema: Schema = {
  anyOf: [
    { type: 'string', contentEncoding: 'base64', description: 'The bytes as base64' },
    {
      type: 'object',
      properties: {
        base64: { type: 'string' },
        filename: { type: 'string', maxLength: 255 },
        content_type: { type: 'string', maxLength: 127 },
      },
      required: ['base64'],
      additionalProperties: false,
    },
  ],
};

/** Whether a converted schema stands for bytes. */
export function isBytes(schema: Schema): boolean {
  if (schema['format'] === 'binary') return true;
  // In 3.1 bytes are best described without any type.
  return (
    (schema['type'] === 'string' || schema['type'] === undefined) &&
    typeof schema['contentMediaType'] === 'string' &&
    schema['contentEncoding'] === undefined &&
    !/^text\/|json|xml/.test(schema['contentMediaType'])
  );
}

/** A multipart schema in which files can be given as base64. */
function withFiles(schema: Schema, schemas: Schemas, body: Body, hops = 0): Schema {
  const whole = flattened(schema, schemas);
  const { properties, allOf } = whole;
  const all =
    Array.isArray(allOf) && hops < 8
      ? { allOf: allOf.map((part: Json) => (isRaw(part) ? withFiles(part as Schema, schemas, body, hops + 1) : part)) }
      : undefined; // parts of a converted schema are schemas
  if (!isRaw(properties)) return all === undefined ? schema : { ...whole, ...all };
  return {
    ...whole,
    ...all,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, below]) => {
        const field = isRaw(below) ? unwrapped(below as Schema, schemas) : {}; // properties of a converted schema are schemas
        const type = body.encodings.get(name)?.contentType;
        if (isFile(field, type)) return [name, describedAs(fileSchema, field)];
        const items = isRaw(field['items']) ? unwrapped(field['items'] as Schema, schemas) : undefined;
        return [name, items && isFile(items, type) ? { ...field, items: fileSchema } : (below as Json)];
      }),
    ),
  };
}

const describedAs = (schema: Schema, from: Schema): Schema =>
  typeof from['description'] === 'string' ? { ...schema, description: from['description'] } : schema;

/** Is this field sent as bytes? In 3.1 an empty schema with an encoding of octets is. */
export const isFile = (schema: Schema, contentType: string | undefined): boolean =>
  isBytes(schema) ||
  (contentType !== undefined &&
    /^(image|audio|video)\/|octet-stream|pdf|zip/.test(contentType) &&
    (schema['type'] === 'string' || schema['type'] === undefined));

/** What a reference at the top leads to. */
export function flattened(schema: Schema, schemas: Pick<Schemas, 'def'>): Schema {
  let found = schema;
  for (let hops = 0; hops < 8 && typeof found['$ref'] === 'string'; hops += 1)
    found = schemas.def(found['$ref'].slice('#/$defs/'.length));
  return found;
}

/** The same, also through an `allOf` around a single schema, which is how documents put a description beside a reference. */
export function unwrapped(schema: Schema, schemas: Pick<Schemas, 'def'>): Schema {
  let found = flattened(schema, schemas);
  for (let hops = 0; hops < 8; hops += 1) {
    const { allOf, type } = found;
    const [only, ...others]: readonly Json[] = Array.isArray(allOf) ? allOf : [];
    if (type !== undefined || !isRaw(only) || others.length > 0) break;
    found = flattened(only as Schema, schemas); // parts of a converted schema are schemas
  }
  return found;
}

/** The declared properties of an object, those of its parts included. */
export function propertiesOf(schema: Schema, schemas: Pick<Schemas, 'def'>, hops = 0): ReadonlyMap<string, Schema> {
  const { properties, allOf } = flattened(schema, schemas);
  const parts = Array.isArray(allOf) && hops < 8 ? allOf.filter(isRaw) : [];
  return new Map([
    ...parts.flatMap((part) => [...propertiesOf(part as Schema, schemas, hops + 1)]), // parts of a converted schema are schemas
    ...entriesOf({ properties }, 'properties').flatMap(([name, below]) =>
      isRaw(below) ? [[name, below as Schema] as const] : [],
    ),
  ]);
}
