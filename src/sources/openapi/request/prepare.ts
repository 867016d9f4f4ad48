import type { Args } from '../../../core/call.js';
import type { Json } from '../../../core/json.js';
import { encodeForm, encodeBody } from './bodies.js';
import { hasDotSegment } from '../../http/requests/path-template.js';
import { bodyKind } from './body-kinds.js';
import type { Operation } from '../document/model.js';
import { bareName, splitTemplate } from '../document/parameters.js';
import { dereference, withFixedValues, type ArgumentPlan, type ArgumentSlot } from './argument-plan.js';
import type { SchemaConverter } from '../schemas/converter.js';
import type { BaseUrl } from '../document/servers.js';
import {
  percentEncode,
  encodeCookiePairs,
  encodeHeaderValue,
  encodePathValue,
  encodeQueryPairs,
  toPlainText,
} from './parameter-styles.js';
import { fieldEntries, isRawObject } from '../document/fields.js';

/** A request that is confined to its operation. */
export interface PreparedRequest {
  readonly method: string;
  readonly origin: string;
  /** Path as sent; credentials and pagination only change the query. */
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body?: string | Uint8Array;
}

/** A request, or the argument that prevents it. */
export type PrepareResult =
  | { readonly ok: true; readonly request: PreparedRequest }
  | { readonly ok: false; readonly field: string; readonly message: string };

/** Characters that a header value may have; no line breaks. */
const headerValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Builds a request from validated arguments; rejects arguments that would reach another path (path traversal). */
export function prepareRequest(
  operation: Operation,
  plan: ArgumentPlan,
  base: BaseUrl,
  given: Args,
  schemas: Pick<SchemaConverter, 'def'>,
): PrepareResult {
  const args = withFixedValues(plan, given);
  const query: string[] = [];
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const slot of plan.slots) {
    const value = args[slot.argument];
    if (value === undefined || slot.parameter.in === 'path') continue;
    const problem =
      checkParameterPollution(slot, value, plan) ?? addParameter(slot, value, query, headers, cookies, schemas);
    if (problem !== undefined) return { ok: false, field: `/${slot.argument}`, message: problem };
  }
  const template = splitTemplate(operation.path);
  const path = buildPath(template.path, plan, args);
  if (!path.ok) return path;
  // A query in the path template comes first, as written.
  if (template.query !== '') query.unshift(...buildFixedQuery(template.query, plan, args));
  const target = `${base.path}${path.path}`;
  // After all encoding: what is checked is what is sent.
  if (!isWithinBase(base, target)) return { ok: false, field: '', message: 'would leave the path of the operation' };

  let body: string | Uint8Array | undefined;
  const content = plan.body && args[plan.body.argument];
  if (plan.body && content !== undefined) {
    const made = encodeBody(plan.body, content, schemas);
    if (!made.ok) return { ok: false, field: `/${plan.body.argument}`, message: made.message };
    if (!headerValuePattern.test(made.contentType))
      return { ok: false, field: `/${plan.body.argument}`, message: 'has an invalid media type' };
    headers['content-type'] = made.contentType;
    body = made.bytes;
  }
  return {
    ok: true,
    request: {
      method: operation.method,
      origin: base.origin,
      path: target,
      query,
      headers,
      cookies,
      ...(body !== undefined && { body }),
    },
  };
}

/** Rejects an exploded object whose field has the name of another parameter: it would bypass that one's validation (parameter pollution). */
function checkParameterPollution(
  { parameter }: ArgumentSlot,
  value: Json,
  { slots }: ArgumentPlan,
): string | undefined {
  if (
    parameter.in !== 'query' ||
    parameter.style !== 'form' ||
    !parameter.explode ||
    parameter.mediaType !== undefined ||
    !isRawObject(value)
  )
    return undefined;
  const taken = slots.some(
    ({ parameter: other }) => other !== parameter && other.in === 'query' && Object.hasOwn(value, other.name),
  );
  return taken ? 'contains a field with the name of another parameter' : undefined;
}

/** Adds one argument to its place; returns the problem if it cannot. */
function addParameter(
  { parameter, schema }: ArgumentSlot,
  value: Json,
  query: string[],
  headers: Record<string, string>,
  cookies: string[],
  schemas: Pick<SchemaConverter, 'def'>,
): string | undefined {
  const { name, mediaType } = parameter;
  const whole = mediaType !== undefined && parameter.in !== 'querystring' ? encodeAsMedia(value, mediaType) : value;
  switch (parameter.in) {
    case 'query':
      query.push(...encodeQueryPairs(name, whole, parameter));
      return undefined;
    case 'querystring':
      query.push(
        mediaType !== undefined && bodyKind(mediaType) === 'form'
          ? encodeForm(value, { encodings: new Map() })
          : percentEncode(encodeAsMedia(value, mediaType ?? 'application/json')),
      );
      return undefined;
    case 'header': {
      const text = encodeHeaderValue(whole, parameter);
      // A line break would start another header (header injection).
      if (!headerValuePattern.test(text)) return 'contains a character that is not allowed in a header';
      headers[name.toLowerCase()] = text.trim();
      return undefined;
    }
    default: {
      // Each field of an exploded object is a cookie; an undeclared one could be a session cookie (session fixation).
      const declared = fieldEntries(dereference(schema, schemas), 'properties').map(([field]) => field);
      if (parameter.explode && isRawObject(whole) && Object.keys(whole).some((field) => !declared.includes(field)))
        return 'contains an undeclared field';
      const made = encodeCookiePairs(name, whole, parameter);
      if (made === undefined) return 'contains a character that is not allowed in a cookie';
      cookies.push(...made);
      return undefined;
    }
  }
}

/** A value in a media type, for parameters with `content`. */
const encodeAsMedia = (value: Json, mediaType: string): string =>
  bodyKind(mediaType) === 'text' && typeof value === 'string'
    ? value
    : bodyKind(mediaType) === 'form'
      ? encodeForm(value, { encodings: new Map() })
      : JSON.stringify(value);

/** Fills the path template; each argument stays inside of its segment. */
function buildPath(
  template: string,
  plan: ArgumentPlan,
  args: Args,
):
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly field: string; readonly message: string } {
  const slots = new Map(
    plan.slots.filter(({ parameter }) => parameter.in === 'path').map((slot) => [slot.parameter.name, slot]),
  );
  const segments: string[] = [];
  for (const segment of template.split('/').slice(1)) {
    let last = '';
    let isMissing = false;
    let isNull = false;
    const made = segment
      .split(/(\{[^{}]+\})/)
      .map((piece) => {
        if (!/^\{[^{}]+\}$/.test(piece)) return encodeLiteral(piece);
        const slot = slots.get(bareName(piece.slice(1, -1)));
        last = slot?.argument ?? '';
        const value = slot && args[slot.argument];
        if (slot === undefined || value === undefined || value === null) {
          isMissing = true;
          isNull ||= slot?.parameter.required === true;
          return '';
        }
        const whole = slot.parameter.mediaType === undefined ? value : encodeAsMedia(value, slot.parameter.mediaType);
        return encodePathValue(slot.parameter.name, whole, slot.parameter);
      })
      .join('');
    // Without this, null would turn `DELETE /users/{id}` into `DELETE /users`.
    if (isNull) return { ok: false, field: `/${last}`, message: 'must not be null in a path' };
    // An optional segment without a value is omitted with its slash.
    if (isMissing && made === '') continue;
    // Path traversal: includes encoded slashes, since a server behind a proxy may decode `..%2Fadmin` before routing.
    if (last !== '' && (made === '' || hasDotSegment(made)))
      return { ok: false, field: `/${last}`, message: 'must not be empty or contain a . or .. segment in a path' };
    segments.push(made);
  }
  return { ok: true, path: `/${segments.join('/')}` };
}

/** Fills arguments into a query that is part of the path template. */
function buildFixedQuery(query: string, plan: ArgumentPlan, args: Args): readonly string[] {
  const filled = query.replaceAll(
    /\{([^{}]+)\}|%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu,
    (char, name?: string) => {
      const slot =
        name === undefined
          ? undefined
          : plan.slots.find(({ parameter }) => parameter.in === 'path' && parameter.name === bareName(name));
      return slot === undefined ? percentEncode(char) : percentEncode(toPlainText(args[slot.argument] ?? ''));
    },
  );
  return [filled];
}

/** Encodes the fixed part of a path; existing percent-encoding is kept. */
const encodeLiteral = (text: string): string =>
  text.replaceAll(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@%]/gu, (char) => percentEncode(char));

/** Final check before sending: the URL as parsed equals the one built, on the origin and below the path of the base URL. */
function isWithinBase(base: BaseUrl, path: string): boolean {
  try {
    const url = new URL(`${base.origin}${path}`);
    return (
      url.origin === base.origin &&
      url.username === '' &&
      url.password === '' &&
      url.pathname.startsWith(`${base.path}/`) &&
      url.pathname.split('/').length === path.split('/').length &&
      url.search === '' &&
      url.hash === ''
    );
  } catch {
    return false;
  }
}
