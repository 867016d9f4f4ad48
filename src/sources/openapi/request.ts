import type { Args } from '../../core/call.js';
import type { Json } from '../../core/json.js';
import { formText, written } from './bodies.js';
import { climbs } from '../http/path-template.js';
import { bodyKind } from './body-kinds.js';
import type { Operation } from './model.js';
import { bareName, templateOf } from './parameters.js';
import { flattened, type Plan, type Slot } from './plan.js';
import type { Schemas } from './schemas.js';
import type { Base } from './servers.js';
import { encoded, inCookie, inHeader, inPath, inQuery, plainText } from './styles.js';
import { entriesOf, isRaw } from './values.js';

/** A request that stays inside its operation. */
export interface Prepared {
  readonly method: string;
  readonly origin: string;
  /** Path as it goes on the wire; credentials and pages may add to the query, nothing changes this. */
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly body?: string | Uint8Array;
}

export type PreparedOrProblem =
  | { readonly ok: true; readonly request: Prepared }
  | { readonly ok: false; readonly field: string; readonly message: string };

const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Turns checked arguments into a request, or says which argument would lead it out of its operation. */
export function prepared(
  operation: Operation,
  plan: Plan,
  base: Base,
  args: Args,
  schemas: Pick<Schemas, 'def'>,
): PreparedOrProblem {
  const query: string[] = [];
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (const slot of plan.slots) {
    const value = args[slot.argument];
    if (value === undefined || slot.parameter.in === 'path') continue;
    const problem = poaching(slot, value, plan) ?? place(slot, value, query, headers, cookies, schemas);
    if (problem !== undefined) return { ok: false, field: `/${slot.argument}`, message: problem };
  }
  const template = templateOf(operation.path);
  const path = pathOf(template.path, plan, args);
  if (!path.ok) return path;
  if (template.query !== '') query.unshift(...fixedQuery(template.query, plan, args));
  const target = `${base.path}${path.path}`;
  if (!isWithin(base, target)) return { ok: false, field: '', message: 'lead out of the operation' };

  let body: string | Uint8Array | undefined;
  const given = plan.body && args[plan.body.argument];
  if (plan.body && given !== undefined) {
    const made = written(plan.body, given, schemas);
    if (!made.ok) return { ok: false, field: `/${plan.body.argument}`, message: made.message };
    if (!headerValue.test(made.contentType))
      return { ok: false, field: `/${plan.body.argument}`, message: 'has a media type that cannot be sent' };
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

/** Written out, every field of an object is a parameter of its own; as one that is declared beside it, it would pass without that one's checks. */
function poaching({ parameter }: Slot, value: Json, { slots }: Plan): string | undefined {
  if (
    parameter.in !== 'query' ||
    parameter.style !== 'form' ||
    !parameter.explode ||
    parameter.mediaType !== undefined ||
    !isRaw(value)
  )
    return undefined;
  const taken = slots.some(
    ({ parameter: other }) => other !== parameter && other.in === 'query' && Object.hasOwn(value, other.name),
  );
  return taken ? 'holds a field that is a parameter of its own' : undefined;
}

function place(
  { parameter, schema }: Slot,
  value: Json,
  query: string[],
  headers: Record<string, string>,
  cookies: string[],
  schemas: Pick<Schemas, 'def'>,
): string | undefined {
  const { name, mediaType } = parameter;
  const whole = mediaType !== undefined && parameter.in !== 'querystring' ? asMedia(value, mediaType) : value;
  switch (parameter.in) {
    case 'query':
      query.push(...inQuery(name, whole, parameter));
      return undefined;
    case 'querystring':
      query.push(
        mediaType !== undefined && bodyKind(mediaType) === 'form'
          ? formText(value, { encodings: new Map() })
          : encoded(asMedia(value, mediaType ?? 'application/json')),
      );
      return undefined;
    case 'header': {
      const text = inHeader(whole, parameter);
      // A line end would begin a header of the caller's own.
      if (!headerValue.test(text)) return 'holds a character that a header cannot';
      headers[name.toLowerCase()] = text.trim();
      return undefined;
    }
    default: {
      // Written out, every field is a cookie of its own; one the document does not name could be the session of somebody else.
      const declared = entriesOf(flattened(schema, schemas), 'properties').map(([field]) => field);
      if (parameter.explode && isRaw(whole) && Object.keys(whole).some((field) => !declared.includes(field)))
        return 'holds a field that is not declared';
      const made = inCookie(name, whole, parameter);
      if (made === undefined) return 'holds a character that a cookie cannot';
      cookies.push(...made);
      return undefined;
    }
  }
}

const asMedia = (value: Json, mediaType: string): string =>
  bodyKind(mediaType) === 'text' && typeof value === 'string'
    ? value
    : bodyKind(mediaType) === 'form'
      ? formText(value, { encodings: new Map() })
      : JSON.stringify(value);

function pathOf(
  template: string,
  plan: Plan,
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
        if (!/^\{[^{}]+\}$/.test(piece)) return literal(piece);
        const slot = slots.get(bareName(piece.slice(1, -1)));
        last = slot?.argument ?? '';
        const value = slot && args[slot.argument];
        if (slot === undefined || value === undefined || value === null) {
          isMissing = true;
          isNull ||= slot?.parameter.required === true;
          return '';
        }
        const whole = slot.parameter.mediaType === undefined ? value : asMedia(value, slot.parameter.mediaType);
        return inPath(slot.parameter.name, whole, slot.parameter);
      })
      .join('');
    // Left out like an optional part, null would make `DELETE /users/{id}` a `DELETE /users`.
    if (isNull) return { ok: false, field: `/${last}`, message: 'must not be null in a path' };
    // An optional part of a route that was not given is left out with its slash.
    if (isMissing && made === '') continue;
    // Encoded slashes too: a server behind a proxy may decode `..%2Fadmin` before it looks at the path.
    if (last !== '' && (made === '' || climbs(made)))
      return { ok: false, field: `/${last}`, message: 'must not be empty, nor hold . or .. as a segment, in a path' };
    segments.push(made);
  }
  return { ok: true, path: `/${segments.join('/')}` };
}

/** What a document wrote behind a `?`, with arguments filled in and encoded. */
function fixedQuery(query: string, plan: Plan, args: Args): readonly string[] {
  const filled = query.replaceAll(
    /\{([^{}]+)\}|%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu,
    (char, name?: string) => {
      const slot =
        name === undefined
          ? undefined
          : plan.slots.find(({ parameter }) => parameter.in === 'path' && parameter.name === bareName(name));
      return slot === undefined ? encoded(char) : encoded(plainText(args[slot.argument] ?? ''));
    },
  );
  return [filled];
}

/** The fixed part of a path, encoded where the document forgot to. */
const literal = (text: string): string =>
  text.replaceAll(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@%]/gu, (char) => encoded(char));

/** The last look before sending: the address as the URL parser reads it is the one that was built, on its own origin and under its base. */
export function isWithin(base: Base, path: string): boolean {
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
