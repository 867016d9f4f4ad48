import type { Body, Encoding, Reply } from './model.js';
import type { OperationProblem, ParseContext } from './normalise.js';
import { parseLayout } from './parameters.js';
import { resolveReference, type Located } from './references.js';
import { fieldEntries, booleanField, isRawObject, ownField, textField, type RawObject } from './fields.js';

/** Media type without parameters, in lower case. */
export const baseType = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

/** Whether a media type is JSON, including structured suffixes such as `+json`. */
export const isJsonType = (mediaType: string): boolean =>
  /^(application|text)\/(json|[\w.+-]+\+json)$/.test(baseType(mediaType));

/** Chooses the media type to send: the one that represents JSON arguments with the least loss. */
export function preferredMediaType(mediaTypes: readonly string[]): string | undefined {
  // Lower is better: JSON keeps types, forms lose them, other types need the text of the caller.
  const rank = (mediaType: string): number => {
    const base = baseType(mediaType);
    if (base === 'application/json') return 0;
    if (isJsonType(mediaType)) return 1;
    if (base === '*/*' || base === 'application/*') return 2;
    if (base === 'application/x-www-form-urlencoded') return 3;
    if (base === 'multipart/form-data') return 4;
    if (base.startsWith('multipart/')) return 5;
    if (base.startsWith('text/')) return 6;
    return 7;
  };
  return mediaTypes.toSorted((left, right) => rank(left) - rank(right))[0];
}

/** Parses the request body of a 3.x operation; a declared body is kept whatever its media type. */
export function parseRequestBody(context: ParseContext, at: Located): Body | OperationProblem | undefined {
  if (at.value === undefined || at.value === null) return undefined;
  const found = resolveReference(at);
  if (!found.ok) return { reason: found.problem, message: `the body refers to ${found.ref.slice(0, 200)}` };
  const { doc, value } = found.at;
  const offered = fieldEntries(value, 'content');
  const mediaType = preferredMediaType(offered.map(([name]) => name)) ?? 'application/json';
  const media = resolveMedia(doc, offered.find(([name]) => name === mediaType)?.[1]);
  // A body whose schema is unknown could not be checked.
  if (media === undefined)
    return { reason: 'unresolved_ref', message: 'the media type of the body has an unresolved reference' };
  const schema = ownField(media.value, 'schema') ?? ownField(media.value, 'itemSchema');
  const description = textField(value, 'description');
  if (offered.length === 0) context.note('body_without_content', 'the body declares no media type; JSON is sent');
  return {
    required: booleanField(value, 'required') ?? false,
    mediaType,
    offered: offered.map(([name]) => name),
    encodings: new Map(
      fieldEntries(media.value, 'encoding').map(([name, encoding]) => [name, parseEncoding(encoding)]),
    ),
    ...(description !== undefined && { description }),
    ...(schema !== undefined && { schema: { doc: media.doc, value: schema } }),
  };
}

/** The media type object behind a reference. */
function resolveMedia(doc: Located['doc'], value: unknown): Located | undefined {
  // In 3.2 a media type may be a reference; a missing or malformed one still declares a body.
  const found = resolveReference({ doc, value: isRawObject(value) ? value : {} });
  return found.ok ? found.at : undefined;
}

/** Encoding of one part of a form. */
function parseEncoding(raw: unknown): Encoding {
  const contentType = textField(raw, 'contentType');
  // Only explicit fields count: the default layout of a form differs from that of a query.
  const hasLayout = ['style', 'explode', 'allowReserved'].some((key) => ownField(raw, key) !== undefined);
  return { ...(contentType !== undefined && { contentType }), ...(hasLayout && { layout: parseLayout(raw, 'query') }) };
}

/** Parses the success response of a 3.x operation: JSON is preferred, and the lowest 2xx over `default`. */
export function parseReply(context: ParseContext, operation: RawObject): Reply | undefined {
  const [status, value] = findSuccessResponse(operation) ?? [];
  if (status === undefined) return undefined;
  const found = resolveReference({ doc: context.doc, value });
  if (!found.ok) {
    context.note(found.problem, `response ${status} refers to ${found.ref.slice(0, 200)}`);
    return undefined;
  }
  const content = fieldEntries(found.at.value, 'content');
  const mediaType = content.map(([name]) => name).find(isJsonType) ?? content[0]?.[0];
  const schema = ownField(content.find(([name]) => name === mediaType)?.[1], 'schema');
  return {
    status,
    hasLinkHeader: hasLinkHeader(found.at.value),
    ...(mediaType !== undefined && { mediaType }),
    ...(schema !== undefined && { schema: { doc: found.at.doc, value: schema } }),
  };
}

/** Whether a response declares a Link header, which paginates (RFC 8288). */
export const hasLinkHeader = (response: unknown): boolean =>
  fieldEntries(response, 'headers').some(([name]) => name.toLowerCase() === 'link');

/** Finds the success entry of `responses`: the lowest 2xx, else `default`. */
export function findSuccessResponse(operation: RawObject): readonly [string, unknown] | undefined {
  const responses = fieldEntries(operation, 'responses');
  const successes = responses
    .filter(([status]) => /^2(\d\d|XX)$/i.test(status))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return successes[0] ?? responses.find(([status]) => status === 'default');
}
