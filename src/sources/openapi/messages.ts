import type { Body, Encoding, Reply } from './model.js';
import type { Fault, Reading } from './normalise.js';
import { layoutOf } from './parameters.js';
import { resolved, type Located } from './references.js';
import { entriesOf, flagOf, isRaw, own, textOf, type Raw } from './values.js';

/** `application/json; charset=utf-8` without its parameters, in lower case. */
export const baseType = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim().toLowerCase();

export const isJsonType = (mediaType: string): boolean =>
  /^(application|text)\/(json|[\w.+-]+\+json)$/.test(baseType(mediaType));

/** Which of several media types is sent: the one that loses least on the way from JSON arguments. */
export function preferred(mediaTypes: readonly string[]): string | undefined {
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
  return mediaTypes.toSorted((one, other) => rank(one) - rank(other))[0];
}

/** The body of a 3.x request; a declared body is never lost, whatever its media type. */
export function readBody(reading: Reading, at: Located): Body | Fault | undefined {
  if (at.value === undefined || at.value === null) return undefined;
  const found = resolved(at);
  if (!found.ok) return { reason: found.fault, message: `the body refers to ${found.ref.slice(0, 200)}` };
  const { doc, value } = found.at;
  const offered = entriesOf(value, 'content');
  const mediaType = preferred(offered.map(([name]) => name)) ?? 'application/json';
  const media = mediaOf(doc, offered.find(([name]) => name === mediaType)?.[1]);
  if (media === undefined) return { reason: 'unresolved_ref', message: 'the media type of the body refers to nothing' };
  const schema = own(media.value, 'schema') ?? own(media.value, 'itemSchema');
  const description = textOf(value, 'description');
  if (offered.length === 0) reading.note('body_without_content', 'the body declares no media type; JSON is sent');
  return {
    required: flagOf(value, 'required') ?? false,
    mediaType,
    offered: offered.map(([name]) => name),
    encodings: new Map(entriesOf(media.value, 'encoding').map(([name, encoding]) => [name, encodingOf(encoding)])),
    ...(description !== undefined && { description }),
    ...(schema !== undefined && { schema: { doc: media.doc, value: schema } }),
  };
}

function mediaOf(doc: Located['doc'], value: unknown): Located | undefined {
  // 3.2 lets media types be references; an absent or malformed one still is a body.
  const found = resolved({ doc, value: isRaw(value) ? value : {} });
  return found.ok ? found.at : undefined;
}

function encodingOf(raw: unknown): Encoding {
  const contentType = textOf(raw, 'contentType');
  const hasLayout = ['style', 'explode', 'allowReserved'].some((key) => own(raw, key) !== undefined);
  return { ...(contentType !== undefined && { contentType }), ...(hasLayout && { layout: layoutOf(raw, 'query') }) };
}

/** The good answer of a 3.x operation that says most: JSON before others, the lowest 2xx before `default`. */
export function readReply(reading: Reading, operation: Raw): Reply | undefined {
  const [status, value] = goodAnswer(operation) ?? [];
  if (status === undefined) return undefined;
  const found = resolved({ doc: reading.doc, value });
  if (!found.ok) {
    reading.note(found.fault, `response ${status} refers to ${found.ref.slice(0, 200)}`);
    return undefined;
  }
  const content = entriesOf(found.at.value, 'content');
  const mediaType = content.map(([name]) => name).find(isJsonType) ?? content[0]?.[0];
  const schema = own(content.find(([name]) => name === mediaType)?.[1], 'schema');
  return {
    status,
    hasLinkHeader: hasLink(found.at.value),
    ...(mediaType !== undefined && { mediaType }),
    ...(schema !== undefined && { schema: { doc: found.at.doc, value: schema } }),
  };
}

export const hasLink = (response: unknown): boolean =>
  entriesOf(response, 'headers').some(([name]) => name.toLowerCase() === 'link');

/** The entry of `responses` that speaks of success. */
export function goodAnswer(operation: Raw): readonly [string, unknown] | undefined {
  const answers = entriesOf(operation, 'responses');
  const good = answers
    .filter(([status]) => /^2(\d\d|XX)$/i.test(status))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return good[0] ?? answers.find(([status]) => status === 'default');
}
