import type { Args } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { sha256 } from '../../../lib/hash.js';
import { bodyKind, type BodyKind } from './body-kinds.js';
import type { Body, Operation, Parameter } from '../document/model.js';
import type { Schema, SchemaConverter } from '../schemas/converter.js';
import { fieldEntries, isRawObject } from '../document/fields.js';

/** The parameter that an argument is sent as. */
export interface ArgumentSlot {
  /** Argument name for callers. */
  readonly argument: string;
  readonly parameter: Parameter;
  readonly schema: Schema;
  /** Value of the operator, sent instead of an argument. */
  readonly fixed?: Json;
}

/** The body as an argument. */
export interface BodySlot {
  readonly argument: string;
  readonly body: Body;
  readonly kind: BodyKind;
  readonly schema: Schema;
  readonly fixed?: Json;
}

/** Mapping of arguments to parameters and body, computed once per operation. */
export interface ArgumentPlan {
  readonly slots: readonly ArgumentSlot[];
  readonly body?: BodySlot;
  /** The full input schema, with references. */
  readonly input: Schema;
}

/** What an operator or a credential decides about the arguments. */
interface ArgumentSettings {
  /** Replacement schemas by argument name. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
  /** Values that are sent instead of an argument; undefined leaves the argument out. */
  readonly preset?: ReadonlyMap<string, Json | undefined>;
  /** Whether a credential fills the parameter, so that it is no argument. */
  isCredential?(parameter: Parameter): boolean;
}

/** Order of arguments: what identifies a resource comes first. */
const locationOrder = ['path', 'query', 'querystring', 'header', 'cookie'];

/** Assigns an argument to every parameter and the body; names depend only on the operation and are valid for every client. */
export function planArguments(
  operation: Operation,
  schemas: SchemaConverter,
  { schemas: overrides = {}, preset = new Map(), isCredential = () => false }: ArgumentSettings = {},
): ArgumentPlan {
  const parameters = operation.parameters.toSorted(
    (left, right) => locationOrder.indexOf(left.in) - locationOrder.indexOf(right.in),
  );
  // Names that occur in several places get their location appended.
  const nameCounts = new Map<string, number>();
  for (const { name } of parameters)
    nameCounts.set(toArgumentName(name), (nameCounts.get(toArgumentName(name)) ?? 0) + 1);
  const usedNames = new Set<string>();
  const reserveName = (wanted: string, identity: string): string => {
    // A hash of the identity keeps names stable when other parameters are added.
    const name = usedNames.has(wanted) ? `${wanted.slice(0, 55)}_${sha256(identity).slice(0, 8)}` : wanted;
    usedNames.add(name);
    return name;
  };
  const schemaFor = (argument: string, convertedBody: Schema): Schema =>
    Object.hasOwn(overrides, argument) ? (overrides[argument] ?? convertedBody) : convertedBody;

  const named = parameters.map((parameter): ArgumentSlot => {
    const base = toArgumentName(parameter.name);
    const argument = reserveName(
      (nameCounts.get(base) ?? 0) > 1 ? `${base}_${parameter.in}` : base,
      `${parameter.in} ${parameter.name}`,
    );
    const schema = schemas.convert(parameter.schema, 'request');
    return {
      argument,
      parameter,
      schema: schemaFor(argument, withDescription(schema, parameter.description, parameter.deprecated)),
    };
  });
  const body =
    operation.body &&
    toBodySlot(operation.body, reserveName(usedNames.has('body') ? 'request_body' : 'body', 'body'), schemas);
  const slots = named.filter(({ parameter }) => !isCredential(parameter)).flatMap((slot) => withPreset(slot, preset));
  const [planned] = body ? withPreset({ ...body, schema: schemaFor(body.argument, body.schema) }, preset) : [];
  // Fixed values are no arguments, so that a model neither sees nor overrides them.
  const asked = slots.filter(({ fixed }) => fixed === undefined);
  const askedBody = planned?.fixed === undefined ? planned : undefined;
  const required = [
    ...asked.filter(({ parameter }) => parameter.required).map(({ argument }) => argument),
    ...(askedBody?.body.required ? [askedBody.argument] : []),
  ];
  const properties = [
    ...asked.map(({ argument, schema }) => [argument, schema] as const),
    ...(askedBody ? [[askedBody.argument, askedBody.schema] as const] : []),
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

/** The slot with the value of the operator; none if it is hidden. */
function withPreset<T extends { readonly argument: string }>(
  slot: T,
  preset: ReadonlyMap<string, Json | undefined>,
): readonly (T & { readonly fixed?: Json })[] {
  if (!preset.has(slot.argument)) return [slot];
  const fixed = preset.get(slot.argument);
  return fixed === undefined ? [] : [{ ...slot, fixed }];
}

/** Arguments of a call together with the values of the operator. */
export const withFixedValues = ({ slots, body }: ArgumentPlan, args: Args): Args => ({
  ...args,
  ...Object.fromEntries(
    [...slots, ...(body ? [body] : [])].flatMap(({ argument, fixed }) =>
      fixed === undefined ? [] : [[argument, fixed] as const],
    ),
  ),
});

/** Model providers accept only these characters in argument names. */
const toArgumentName = (name: string): string => {
  // Hashes keep two long or odd names distinct after cutting.
  const safe = name.replaceAll(/[^A-Za-z0-9_.-]+/g, '_').replaceAll(/^_+|_+$/g, '');
  if (safe === '') return `argument_${sha256(name).slice(0, 8)}`;
  return safe.length <= 64 ? safe : `${safe.slice(0, 55)}_${sha256(name).slice(0, 8)}`;
};

/** A schema with the description of its parameter, which is more specific than that of a shared schema. */
function withDescription(schema: Schema, description: string | undefined, deprecated: boolean): Schema {
  return {
    ...schema,
    ...(description !== undefined && description !== '' && { description }),
    ...(deprecated && { deprecated: true }),
  };
}

/** The body argument with a schema that JSON can express. */
function toBodySlot(body: Body, argument: string, schemas: SchemaConverter): BodySlot {
  const kind = bodyKind(body.mediaType);
  const made = schemas.convert(body.schema, 'request');
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
    schema: withDescription(
      schema,
      body.description ?? (typeof schema['description'] === 'string' ? schema['description'] : undefined),
      false,
    ),
  };
}

/** Binary content in an argument: base64, or an object with file name and content type. */
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

/** Whether a converted schema describes binary content. */
function isBytes(schema: Schema): boolean {
  if (schema['format'] === 'binary') return true;
  // In 3.1 binary content usually has no `type`.
  return (
    (schema['type'] === 'string' || schema['type'] === undefined) &&
    typeof schema['contentMediaType'] === 'string' &&
    schema['contentEncoding'] === undefined &&
    !/^text\/|json|xml/.test(schema['contentMediaType'])
  );
}

/** Replaces binary fields of a multipart schema with the base64 schema. */
function withFiles(schema: Schema, schemas: SchemaConverter, body: Body, hops = 0): Schema {
  const whole = dereference(schema, schemas);
  const { properties, allOf } = whole;
  const all =
    // Bounded: `allOf` may be recursive.
    Array.isArray(allOf) && hops < 8
      ? {
          allOf: allOf.map((part: Json) =>
            isRawObject(part) ? withFiles(part as Schema, schemas, body, hops + 1) : part,
          ),
        }
      : undefined; // parts of a converted schema are schemas
  if (!isRawObject(properties)) return all === undefined ? schema : { ...whole, ...all };
  return {
    ...whole,
    ...all,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, below]) => {
        const field = isRawObject(below) ? unwrapSchema(below as Schema, schemas) : {}; // properties of a converted schema are schemas
        const type = body.encodings.get(name)?.contentType;
        if (isFileField(field, type)) return [name, copyDescription(fileSchema, field)];
        const items = isRawObject(field['items']) ? unwrapSchema(field['items'] as Schema, schemas) : undefined;
        return [name, items && isFileField(items, type) ? { ...field, items: fileSchema } : (below as Json)];
      }),
    ),
  };
}

/** Copies the description of a field to the schema that replaces it. */
const copyDescription = (schema: Schema, from: Schema): Schema =>
  typeof from['description'] === 'string' ? { ...schema, description: from['description'] } : schema;

/** Whether a field is sent as binary; in 3.1 an empty schema with a binary content type is. */
export const isFileField = (schema: Schema, contentType: string | undefined): boolean =>
  isBytes(schema) ||
  (contentType !== undefined &&
    /^(image|audio|video)\/|octet-stream|pdf|zip/.test(contentType) &&
    (schema['type'] === 'string' || schema['type'] === undefined));

/** Follows references at the top level of a schema. */
export function dereference(schema: Schema, schemas: Pick<SchemaConverter, 'def'>): Schema {
  let found = schema;
  for (let hops = 0; hops < 8 && typeof found['$ref'] === 'string'; hops += 1)
    found = schemas.def(found['$ref'].slice('#/$defs/'.length));
  return found;
}

/** Like `dereference`, and unwraps an `allOf` of one schema, a common way to add a description to a reference. */
export function unwrapSchema(schema: Schema, schemas: Pick<SchemaConverter, 'def'>): Schema {
  let found = dereference(schema, schemas);
  for (let hops = 0; hops < 8; hops += 1) {
    const { allOf, type } = found;
    const [only, ...others]: readonly Json[] = Array.isArray(allOf) ? allOf : [];
    if (type !== undefined || !isRawObject(only) || others.length > 0) break;
    found = dereference(only as Schema, schemas); // parts of a converted schema are schemas
  }
  return found;
}

/** Declared properties of an object schema, including those of its `allOf` parts. */
export function collectProperties(
  schema: Schema,
  schemas: Pick<SchemaConverter, 'def'>,
  hops = 0,
): ReadonlyMap<string, Schema> {
  const { properties, allOf } = dereference(schema, schemas);
  const parts = Array.isArray(allOf) && hops < 8 ? allOf.filter(isRawObject) : [];
  return new Map([
    ...parts.flatMap((part) => [...collectProperties(part as Schema, schemas, hops + 1)]), // parts of a converted schema are schemas
    ...fieldEntries({ properties }, 'properties').flatMap(([name, below]) =>
      isRawObject(below) ? [[name, below as Schema] as const] : [],
    ),
  ]);
}
