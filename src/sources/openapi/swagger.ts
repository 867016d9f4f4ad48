import type { Document } from './document.js';
import { goodAnswer, hasLink, isJsonType, preferred } from './messages.js';
import type { Body, Encoding, Reply } from './model.js';
import type { Reading } from './normalise.js';
import { swaggerLayout } from './parameters.js';
import { resolved, type Located } from './references.js';
import { flagOf, isRaw, labelOf, own, textOf, textsOf, type Raw } from './values.js';

/** The body of a 2.0 request, from a `body` parameter or from `formData` ones; both may have been references. */
export function swaggerBody(home: Document, operation: Raw, parameters: readonly Located[]): Body | undefined {
  const [first] = parameters;
  if (first === undefined) return undefined;
  const listed = textsOf(operation, 'consumes');
  const consumes = listed.length > 0 ? listed : textsOf(home.root, 'consumes');
  const whole = parameters.find(({ value }) => textOf(value, 'in') === 'body');
  if (whole !== undefined) {
    const schema = own(whole.value, 'schema');
    const description = textOf(whole.value, 'description');
    const mediaType =
      preferred(consumes.filter((type) => !/^(multipart\/|application\/x-www-form-urlencoded)/i.test(type))) ??
      'application/json';
    return {
      required: flagOf(whole.value, 'required') ?? false,
      mediaType,
      offered: consumes,
      encodings: new Map(),
      ...(description !== undefined && { description }),
      ...(schema !== undefined && { schema: { doc: whole.doc, value: schema } }),
    };
  }
  return form(first.doc, consumes, parameters.map(({ value }) => value).filter(isRaw));
}

function form(doc: Document, consumes: readonly string[], fields: readonly Raw[]): Body {
  const named = fields.map((field) => [labelOf(field, 'name') ?? '', field] as const);
  const hasFile = fields.some((field) => textOf(field, 'type') === 'file');
  const offered = consumes.filter((type) => /^(multipart\/|application\/x-www-form-urlencoded)/i.test(type));
  const mediaType = hasFile ? 'multipart/form-data' : (preferred(offered) ?? 'application/x-www-form-urlencoded');
  const required = named.filter(([, field]) => flagOf(field, 'required') === true).map(([name]) => name);
  return {
    required: required.length > 0,
    mediaType,
    offered: offered.length > 0 ? offered : [mediaType],
    schema: { doc, value: { type: 'object', properties: Object.fromEntries(named), required } },
    encodings: new Map(
      named.map(([name, field]) => [
        name,
        { layout: swaggerLayout('query', textOf(field, 'collectionFormat')) } satisfies Encoding,
      ]),
    ),
  };
}

/** The good answer of a 2.0 operation. */
export function swaggerReply(reading: Reading, home: Document, operation: Raw): Reply | undefined {
  const [status, value] = goodAnswer(operation) ?? [];
  if (status === undefined) return undefined;
  const found = resolved({ doc: reading.doc, value });
  if (!found.ok) return undefined;
  const listed = textsOf(operation, 'produces');
  const produces = listed.length > 0 ? listed : textsOf(home.root, 'produces');
  const mediaType = produces.find(isJsonType) ?? produces[0] ?? 'application/json';
  const schema = own(found.at.value, 'schema');
  return {
    status,
    mediaType,
    hasLinkHeader: hasLink(found.at.value),
    ...(schema !== undefined && { schema: { doc: found.at.doc, value: schema } }),
  };
}
