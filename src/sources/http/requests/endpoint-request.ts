import type { Args } from '../../../core/call.js';
import type { Json } from '../../../core/json.js';
import { fillTemplate, templateArguments, ownValue } from './body-template.js';
import type { OutboundRequest } from '../sender.js';
import type { EndpointDeclaration, SecretValues, PlacedParameter } from '../declarations.js';
import { isJsonObject } from '../../../wire/message.js';
import { pathTemplate } from './path-template.js';

/** The request, or the problem with the arguments. */
export type RequestPlan =
  { readonly ok: true; readonly request: OutboundRequest } | { readonly ok: false; readonly message: string };

/** Builds the request of an endpoint; arguments cannot change its origin or leave its base path (SSRF, path traversal). */
export function endpointRequest(endpoint: EndpointDeclaration): (args: Args) => RequestPlan {
  const base = new URL(endpoint.baseUrl);
  // A trailing slash would double the one that paths begin with.
  const prefix = base.pathname.replace(/\/+$/, '');
  const template = pathTemplate(endpoint.path);
  const places = placeParameters(endpoint, new Set(template.names));
  const fixed = { accept: 'application/json, */*;q=0.5', ...plainValues(endpoint.headers) };

  return (args) => {
    const path = template.fill((name) => ownValue(args, name));
    if (!path.ok) return { ok: false, message: `${path.name} ${path.why}` };
    const url = new URL(base.origin + prefix + path.path);
    // The URL parser must not normalise the path into a different one (path traversal).
    if (url.origin !== base.origin || url.pathname !== prefix + path.path || url.search !== '' || url.hash !== '')
      return { ok: false, message: 'The arguments would change the target of the request' };
    for (const [name, value] of base.searchParams) url.searchParams.append(name, value);
    // Fixed values are set, so that a parameter of the same name cannot replace them.
    for (const [name, { value }] of Object.entries(endpoint.query)) url.searchParams.set(name, value);
    for (const { name, as = name } of places.query)
      for (const text of toWireTexts(ownValue(args, name))) url.searchParams.append(as, text);
    const headers: Record<string, string> = { ...fixed };
    for (const { name, as = name } of places.header) {
      const [text] = toWireTexts(ownValue(args, name));
      if (text === undefined) continue;
      // CRLF injection: a line break would add headers, or a second request.
      if (/[^\t\x20-\x7e]/.test(text))
        return { ok: false, message: `${name} contains a character that is not allowed in a header` };
      headers[as] = text;
    }
    const body = buildBody(endpoint, places.body, args);
    return {
      ok: true,
      request: {
        url,
        method: endpoint.method,
        // A configured content type wins over the one of the body encoding.
        headers: body ? { ...headers, 'content-type': findHeader(fixed, 'content-type') ?? body.type } : headers,
        ...(body && { body: body.text }),
      },
    };
  };
}

/** Parameters by their place in the request. */
interface ParameterPlaces {
  readonly query: readonly PlacedParameter[];
  readonly header: readonly PlacedParameter[];
  readonly body: readonly PlacedParameter[];
}

/** Assigns every parameter a place: as declared, else by method and template. */
function placeParameters(
  { method, parameters, body }: EndpointDeclaration,
  inPath: ReadonlySet<string>,
): ParameterPlaces {
  const inBody = new Set(templateArguments(body));
  const defaultPlace = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? 'query' : 'body';
  // Those in the path or in the template have their place already.
  const unplaced = parameters.filter(
    (parameter) => !inPath.has(parameter.name) && !(inBody.has(parameter.name) && parameter.in === undefined),
  );
  const at = (where: 'query' | 'header' | 'body') =>
    unplaced.filter((parameter) => (parameter.in ?? (body === undefined ? defaultPlace : 'query')) === where);
  return { query: at('query'), header: at('header'), body: at('body') };
}

/** The body in the configured encoding; undefined if the endpoint sends none. */
function buildBody(
  { body: template, bodyType }: EndpointDeclaration,
  placed: readonly PlacedParameter[],
  args: Args,
): { readonly type: string; readonly text: string } | undefined {
  const placedValues = placed.flatMap(({ name, as = name }): readonly (readonly [string, Json])[] => {
    const value = ownValue(args, name);
    return value === undefined ? [] : [[as, value]];
  });
  const filledTemplate = template === undefined ? undefined : fillTemplate(template, args);
  if (template === undefined && placed.length === 0) return undefined;
  const value: Json | undefined =
    placedValues.length === 0 && template !== undefined
      ? filledTemplate
      : // Placed parameters override the template where both set a key.
        { ...(isJsonObject(filledTemplate) && filledTemplate), ...Object.fromEntries(placedValues) };
  if (value === undefined) return undefined;
  if (bodyType === 'json') return { type: 'application/json', text: JSON.stringify(value) };
  if (bodyType === 'text')
    return { type: 'text/plain; charset=utf-8', text: typeof value === 'string' ? value : JSON.stringify(value) };
  const form = new URLSearchParams();
  for (const [name, item] of Object.entries(isJsonObject(value) ? value : {}))
    for (const text of toWireTexts(item)) form.append(name, text);
  return { type: 'application/x-www-form-urlencoded', text: form.toString() };
}

/** Serialises a value for a query, form or header: lists repeat the key, objects become JSON. */
function toWireTexts(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value))
    return value.flatMap((item: Json) => toWireTexts(Array.isArray(item) ? JSON.stringify(item) : item));
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

/** The resolved values, without their printable form. */
export const plainValues = (hidden: SecretValues): Record<string, string> =>
  Object.fromEntries(Object.entries(hidden).map(([name, { value }]) => [name, value]));

/** A header by its name without regard to case. */
const findHeader = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
