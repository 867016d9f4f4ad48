import { framingHeaders, headerName } from '../../../net/http/request-headers.js';
import type { In, Layout, Parameter, Style } from './model.js';
import { isOperationProblem, type OperationProblem, type ParseContext } from './normalise.js';
import { resolveReference, type Located } from './references.js';
import {
  fieldEntries,
  booleanField,
  isRawObject,
  labelField,
  listField,
  ownField,
  textField,
  type RawObject,
} from './fields.js';

/** Parameters of an operation; for 2.0 also those that form its body. */
interface ParameterSet {
  readonly list: readonly Parameter[];
  readonly bodies: readonly Located[];
}

/** Headers set by the gateway; callers must not control them (header injection, request smuggling). */
const gatewayHeaders = new Set([
  ...framingHeaders,
  'accept',
  'content-type',
  'authorization',
  'cookie',
  'user-agent',
  'accept-encoding',
]);

/** Parses the parameters of path item and operation (which takes precedence), and adds undeclared path parameters. */
export function parseParameters(
  context: ParseContext,
  path: string,
  item: RawObject,
  operation: RawObject,
): ParameterSet | OperationProblem {
  const parametersByKey = new Map<string, Parameter>();
  const bodies = new Map<string, Located>();
  // The operation comes second and so overrides parameters of its path item.
  for (const owner of [item, operation]) {
    for (const value of listField(owner, 'parameters')) {
      const at = resolveReference({ doc: context.doc, value });
      if (!at.ok) return { reason: at.problem, message: `a parameter refers to ${at.ref.slice(0, 200)}` };
      const raw = at.at.value;
      const place = textField(raw, 'in');
      const name = labelField(raw, 'name');
      if (!isRawObject(raw) || place === undefined || name === undefined || name === '')
        return { reason: 'malformed_parameter', message: 'a parameter has no `name` or no `in`' };
      // It would become a property name of the arguments (prototype pollution).
      if (name === '__proto__') return { reason: 'unsafe_name', message: 'a parameter is named __proto__' };
      if (context.doc.dialect === '2.0' && (place === 'body' || place === 'formData')) {
        bodies.set(place === 'body' ? 'body' : `formData ${name}`, at.at);
        continue;
      }
      const parsed = parseParameter(context, at.at, raw, place, name);
      if (parsed === undefined) continue;
      if (isOperationProblem(parsed)) return parsed;
      // Header names are case-insensitive, so that `X-Id` and `x-id` are one parameter.
      parametersByKey.set(`${parsed.in} ${parsed.in === 'header' ? parsed.name.toLowerCase() : parsed.name}`, parsed);
    }
  }
  const inPath = templateNames(path);
  for (const name of inPath) {
    if (parametersByKey.has(`path ${name}`)) continue;
    context.note('undeclared_path_parameter', `{${name}} is not declared; it is treated as a string`);
    parametersByKey.set(`path ${name}`, {
      name,
      in: 'path',
      required: true,
      deprecated: false,
      schema: { doc: context.doc, value: { type: 'string' } },
      style: 'simple',
      explode: false,
      allowReserved: false,
    });
  }
  const list = [...parametersByKey.values()].filter((parameter) => {
    const isUsed = parameter.in !== 'path' || inPath.includes(parameter.name);
    if (!isUsed) context.note('unused_path_parameter', `{${parameter.name}} is not in the path`);
    return isUsed;
  });
  return { list, bodies: [...bodies.values()] };
}

/** Name in a route template: `id` for `{id?}`, `{id*}` and `{id:int}`. */
export const bareName = (name: string): string =>
  name
    .replace(/^[*+]+/, '')
    .replace(/:.*$/, '')
    .replace(/[?*+]+$/, '');

/** Splits a path template from a query inside it; a fragment only distinguishes operations and is never sent. */
export function splitTemplate(path: string): { readonly path: string; readonly query: string } {
  let end = 0;
  // A `?` inside braces, as in `{id?}`, does not start a query.
  for (; end < path.length && path[end] !== '?' && path[end] !== '#'; end += 1)
    if (path[end] === '{') end = Math.max(end, path.indexOf('}', end));
  const query = path[end] === '?' ? (path.slice(end + 1).split('#')[0] ?? '') : '';
  return { path: path.slice(0, end), query };
}

/** Names of placeholders in a path. */
function templateNames(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => bareName(name));
}

/** Parses one parameter; undefined if the gateway sets it itself. */
function parseParameter(
  context: ParseContext,
  at: Located,
  raw: RawObject,
  place: string,
  declared: string,
): Parameter | OperationProblem | undefined {
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie' && place !== 'querystring')
    return { reason: 'malformed_parameter', message: `unknown parameter location ${place.slice(0, 20)}` };
  const name = place === 'path' ? bareName(declared) : declared;
  if (place === 'header' && gatewayHeaders.has(name.toLowerCase())) {
    context.note('ignored_header', `header ${name.slice(0, 40)} is set by the gateway; callers cannot set it`);
    return undefined;
  }
  // A path parameter is always required, except in routes with an optional segment.
  const required = place === 'path' ? !declared.endsWith('?') : (booleanField(raw, 'required') ?? false);
  if ((place === 'header' || place === 'cookie') && !headerName.test(name))
    return { reason: 'unsafe_name', message: `a ${place} name contains an invalid character` };
  const [content] = fieldEntries(raw, 'content');
  const schema: Located =
    context.doc.dialect === '2.0'
      ? at
      : { doc: at.doc, value: content ? ownField(content[1], 'schema') : ownField(raw, 'schema') };
  const description = textField(raw, 'description');
  return {
    name,
    in: place,
    required,
    schema,
    deprecated: booleanField(raw, 'deprecated') ?? false,
    ...(at.doc.dialect === '2.0' ? swaggerLayout(place, textField(raw, 'collectionFormat')) : parseLayout(raw, place)),
    ...(description !== undefined && { description }),
    ...(content && { mediaType: content[0] }),
  };
}

/** Styles that the specification allows per location. */
const stylesByLocation: Readonly<Record<In, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
  querystring: ['form'],
};

/** Serialisation of a 3.x parameter; an unsupported style falls back to the default of its location. */
export function parseLayout(raw: unknown, place: In): Layout {
  const supported = stylesByLocation[place];
  const style = supported.find((style) => style === textField(raw, 'style')) ?? supported[0] ?? 'form';
  return {
    style,
    explode: booleanField(raw, 'explode') ?? (style === 'form' || style === 'cookie' || style === 'deepObject'),
    allowReserved: booleanField(raw, 'allowReserved') ?? false,
  };
}

/** Serialisation of a 2.0 list (`collectionFormat`). */
export function swaggerLayout(place: In, collectionFormat: string | undefined): Layout {
  // Paths and headers have no repeated keys, so that lists are joined.
  const isFlat = place === 'path' || place === 'header';
  const lists: Readonly<Record<string, Style>> = { ssv: 'spaceDelimited', tsv: 'tabDelimited', pipes: 'pipeDelimited' };
  const style =
    collectionFormat !== undefined && Object.hasOwn(lists, collectionFormat) ? lists[collectionFormat] : undefined;
  return {
    style: style ?? (isFlat ? 'simple' : 'form'),
    explode: collectionFormat === 'multi' && !isFlat,
    allowReserved: false,
  };
}
