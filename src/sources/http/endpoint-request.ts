import type { Args } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';
import { filled, namesIn, own } from './body-template.js';
import type { OutRequest } from './caller.js';
import type { EndpointDeclaration, HiddenTexts, PlacedParameter } from './declarations.js';
import { pathTemplate } from './path-template.js';

/** A request, or what is wrong with the arguments. */
export type Planned =
  { readonly ok: true; readonly request: OutRequest } | { readonly ok: false; readonly message: string };

/** Turns arguments into the one request an endpoint stands for; the request cannot leave the endpoint's origin and base path. */
export function endpointRequest(endpoint: EndpointDeclaration): (args: Args) => Planned {
  const base = new URL(endpoint.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const template = pathTemplate(endpoint.path);
  const places = placesOf(endpoint, new Set(template.names));
  const fixed = { accept: 'application/json, */*;q=0.5', ...values(endpoint.headers) };

  return (args) => {
    const path = template.fill((name) => own(args, name));
    if (!path.ok) return { ok: false, message: `${path.name} ${path.why}` };
    const url = new URL(base.origin + prefix + path.path);
    // Whatever the URL parser would make of the path, it must be the path that was meant.
    if (url.origin !== base.origin || url.pathname !== prefix + path.path || url.search !== '' || url.hash !== '')
      return { ok: false, message: 'The arguments would lead to another place' };
    for (const [name, value] of base.searchParams) url.searchParams.append(name, value);
    for (const [name, { value }] of Object.entries(endpoint.query)) url.searchParams.set(name, value);
    for (const { name, as = name } of places.query)
      for (const text of wireTexts(own(args, name))) url.searchParams.append(as, text);
    const headers: Record<string, string> = { ...fixed };
    for (const { name, as = name } of places.header) {
      const [text] = wireTexts(own(args, name));
      if (text === undefined) continue;
      // A line break here would add headers, or a whole second request.
      if (/[^\t\x20-\x7e]/.test(text))
        return { ok: false, message: `${name} holds a character that is not allowed in a header` };
      headers[as] = text;
    }
    const body = bodyOf(endpoint, places.body, args);
    return {
      ok: true,
      request: {
        url,
        method: endpoint.method,
        headers: body ? { ...headers, 'content-type': headerOf(fixed, 'content-type') ?? body.type } : headers,
        ...(body && { body: body.text }),
      },
    };
  };
}

interface Places {
  readonly query: readonly PlacedParameter[];
  readonly header: readonly PlacedParameter[];
  readonly body: readonly PlacedParameter[];
}

function placesOf({ method, parameters, body }: EndpointDeclaration, inPath: ReadonlySet<string>): Places {
  const inBody = new Set(namesIn(body));
  const byMethod = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? 'query' : 'body';
  const loose = parameters.filter((one) => !inPath.has(one.name) && !(inBody.has(one.name) && one.in === undefined));
  const at = (where: 'query' | 'header' | 'body') =>
    loose.filter((one) => (one.in ?? (body === undefined ? byMethod : 'query')) === where);
  return { query: at('query'), header: at('header'), body: at('body') };
}

function bodyOf(
  { body: template, bodyType }: EndpointDeclaration,
  placed: readonly PlacedParameter[],
  args: Args,
): { readonly type: string; readonly text: string } | undefined {
  const own_ = placed.flatMap(({ name, as = name }): readonly (readonly [string, Json])[] => {
    const value = own(args, name);
    return value === undefined ? [] : [[as, value]];
  });
  const from = template === undefined ? undefined : filled(template, args);
  if (template === undefined && placed.length === 0) return undefined;
  const value: Json | undefined =
    own_.length === 0 && template !== undefined ? from : { ...(isObject(from) && from), ...Object.fromEntries(own_) };
  if (value === undefined) return undefined;
  if (bodyType === 'json') return { type: 'application/json', text: JSON.stringify(value) };
  if (bodyType === 'text')
    return { type: 'text/plain; charset=utf-8', text: typeof value === 'string' ? value : JSON.stringify(value) };
  const form = new URLSearchParams();
  for (const [name, item] of Object.entries(isObject(value) ? value : {}))
    for (const text of wireTexts(item)) form.append(name, text);
  return { type: 'application/x-www-form-urlencoded', text: form.toString() };
}

/** A value as texts in a query, a form or a header: a list is repeated, an object is JSON. */
function wireTexts(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item: Json) => wireTexts(Array.isArray(item) ? JSON.stringify(item) : item));
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The texts to send. */
export const values = (hidden: HiddenTexts): Record<string, string> =>
  Object.fromEntries(Object.entries(hidden).map(([name, { value }]) => [name, value]));

const headerOf = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
