import type { Document } from './parse.js';
import { findSuccessResponse, hasLinkHeader, isJsonType, preferredMediaType } from './messages.js';
import type { Body, Encoding, Reply } from './model.js';
import type { ParseContext } from './normalise.js';
import { swaggerLayout } from './parameters.js';
import { resolveReference, type Located } from './references.js';
import { booleanField, isRawObject, labelField, ownField, textField, textListField, type RawObject } from './fields.js';

/** Parses the body of a 2.0 operation from its `body` or `formData` parameters. */
export function parseSwaggerBody(
  home: Document,
  operation: RawObject,
  parameters: readonly Located[],
): Body | undefined {
  const [first] = parameters;
  if (first === undefined) return undefined;
  const listed = textListField(operation, 'consumes');
  // The operation overrides the document.
  const consumes = listed.length > 0 ? listed : textListField(home.root, 'consumes');
  const whole = parameters.find(({ value }) => textField(value, 'in') === 'body');
  if (whole !== undefined) {
    const schema = ownField(whole.value, 'schema');
    const description = textField(whole.value, 'description');
    const mediaType =
      // A body parameter is never a form, whatever the document consumes.
      preferredMediaType(consumes.filter((type) => !/^(multipart\/|application\/x-www-form-urlencoded)/i.test(type))) ??
      'application/json';
    return {
      required: booleanField(whole.value, 'required') ?? false,
      mediaType,
      offered: consumes,
      encodings: new Map(),
      ...(description !== undefined && { description }),
      ...(schema !== undefined && { schema: { doc: whole.doc, value: schema } }),
    };
  }
  return toFormBody(first.doc, consumes, parameters.map(({ value }) => value).filter(isRawObject));
}

/** A form body as an object schema with one property per field. */
function toFormBody(doc: Document, consumes: readonly string[], fields: readonly RawObject[]): Body {
  const named = fields.map((field) => [labelField(field, 'name') ?? '', field] as const);
  const hasFile = fields.some((field) => textField(field, 'type') === 'file');
  const offered = consumes.filter((type) => /^(multipart\/|application\/x-www-form-urlencoded)/i.test(type));
  // Files need multipart.
  const mediaType = hasFile
    ? 'multipart/form-data'
    : (preferredMediaType(offered) ?? 'application/x-www-form-urlencoded');
  const required = named.filter(([, field]) => booleanField(field, 'required') === true).map(([name]) => name);
  return {
    required: required.length > 0,
    mediaType,
    offered: offered.length > 0 ? offered : [mediaType],
    schema: { doc, value: { type: 'object', properties: Object.fromEntries(named), required } },
    encodings: new Map(
      named.map(([name, field]) => [
        name,
        { layout: swaggerLayout('query', textField(field, 'collectionFormat')) } satisfies Encoding,
      ]),
    ),
  };
}

/** Parses the success response of a 2.0 operation. */
export function parseSwaggerReply(context: ParseContext, home: Document, operation: RawObject): Reply | undefined {
  const [status, value] = findSuccessResponse(operation) ?? [];
  if (status === undefined) return undefined;
  const found = resolveReference({ doc: context.doc, value });
  if (!found.ok) return undefined;
  const listed = textListField(operation, 'produces');
  const produces = listed.length > 0 ? listed : textListField(home.root, 'produces');
  const mediaType = produces.find(isJsonType) ?? produces[0] ?? 'application/json';
  const schema = ownField(found.at.value, 'schema');
  return {
    status,
    mediaType,
    hasLinkHeader: hasLinkHeader(found.at.value),
    ...(schema !== undefined && { schema: { doc: found.at.doc, value: schema } }),
  };
}
