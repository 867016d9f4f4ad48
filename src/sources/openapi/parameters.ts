import { framingHeaders, headerName } from '../../net/request-headers.js';
import type { In, Layout, Parameter, Style } from './model.js';
import { isFault, type Fault, type Reading } from './normalise.js';
import { resolved, type Located } from './references.js';
import { entriesOf, flagOf, isRaw, labelOf, listOf, own, textOf, type Raw } from './values.js';

/** The parameters of an operation, and for 2.0 those that make up its body. */
export interface Parameters {
  readonly list: readonly Parameter[];
  readonly bodies: readonly Located[];
}

/** Decided by the body, the reply and the credentials, or by whoever sends. */
const ownHeaders = new Set([
  ...framingHeaders,
  'accept',
  'content-type',
  'authorization',
  'cookie',
  'user-agent',
  'accept-encoding',
]);

/** Reads the parameters of path and operation, the operation's own winning, and makes up those that only the path names. */
export function readParameters(reading: Reading, path: string, item: Raw, operation: Raw): Parameters | Fault {
  const found = new Map<string, Parameter>();
  const bodies = new Map<string, Located>();
  for (const of of [item, operation]) {
    for (const value of listOf(of, 'parameters')) {
      const at = resolved({ doc: reading.doc, value });
      if (!at.ok) return { reason: at.fault, message: `a parameter refers to ${at.ref.slice(0, 200)}` };
      const raw = at.at.value;
      const place = textOf(raw, 'in');
      const name = labelOf(raw, 'name');
      if (!isRaw(raw) || place === undefined || name === undefined || name === '')
        return { reason: 'malformed_parameter', message: 'a parameter lacks its name or place' };
      if (name === '__proto__') return { reason: 'unsafe_name', message: 'a parameter is named __proto__' };
      if (reading.doc.dialect === '2.0' && (place === 'body' || place === 'formData')) {
        bodies.set(place === 'body' ? 'body' : `formData ${name}`, at.at);
        continue;
      }
      const made = parameterOf(reading, at.at, raw, place, name);
      if (made === undefined) continue;
      if (isFault(made)) return made;
      found.set(`${made.in} ${made.in === 'header' ? made.name.toLowerCase() : made.name}`, made);
    }
  }
  const inPath = namesIn(path);
  for (const name of inPath) {
    if (found.has(`path ${name}`)) continue;
    reading.note('undeclared_path_parameter', `{${name}} is not declared; it is taken as a text`);
    found.set(`path ${name}`, {
      name,
      in: 'path',
      required: true,
      deprecated: false,
      schema: { doc: reading.doc, value: { type: 'string' } },
      style: 'simple',
      explode: false,
      allowReserved: false,
    });
  }
  const list = [...found.values()].filter((parameter) => {
    const isUsed = parameter.in !== 'path' || inPath.includes(parameter.name);
    if (!isUsed) reading.note('unused_path_parameter', `{${parameter.name}} does not stand in the path`);
    return isUsed;
  });
  return { list, bodies: [...bodies.values()] };
}

/** `{id?}`, `{id*}` and `{id:int}` of route templates all name `id`. */
export const bareName = (name: string): string =>
  name
    .replace(/^[*+]+/, '')
    .replace(/:.*$/, '')
    .replace(/[?*+]+$/, '');

/** A path apart from the query that some documents put into it; a fragment only tells operations of one address apart and is never sent. */
export function templateOf(path: string): { readonly path: string; readonly query: string } {
  let end = 0;
  // `{id?}` is a name: a mark inside braces does not begin a query.
  for (; end < path.length && path[end] !== '?' && path[end] !== '#'; end += 1)
    if (path[end] === '{') end = Math.max(end, path.indexOf('}', end));
  const query = path[end] === '?' ? (path.slice(end + 1).split('#')[0] ?? '') : '';
  return { path: path.slice(0, end), query };
}

function namesIn(path: string): readonly string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => bareName(name));
}

function parameterOf(
  reading: Reading,
  at: Located,
  raw: Raw,
  place: string,
  declared: string,
): Parameter | Fault | undefined {
  if (place !== 'path' && place !== 'query' && place !== 'header' && place !== 'cookie' && place !== 'querystring')
    return { reason: 'malformed_parameter', message: `a parameter is in ${place.slice(0, 20)}, which is no place` };
  const name = place === 'path' ? bareName(declared) : declared;
  if (place === 'header' && ownHeaders.has(name.toLowerCase())) {
    reading.note('ignored_header', `header ${name.slice(0, 40)} is set by the gate and not by callers`);
    return undefined;
  }
  const required = place === 'path' ? !declared.endsWith('?') : (flagOf(raw, 'required') ?? false);
  if ((place === 'header' || place === 'cookie') && !headerName.test(name))
    return { reason: 'unsafe_name', message: `a ${place} name holds a character that is not allowed` };
  const [content] = entriesOf(raw, 'content');
  const schema: Located =
    reading.doc.dialect === '2.0'
      ? at
      : { doc: at.doc, value: content ? own(content[1], 'schema') : own(raw, 'schema') };
  const description = textOf(raw, 'description');
  return {
    name,
    in: place,
    required,
    schema,
    deprecated: flagOf(raw, 'deprecated') ?? false,
    ...(at.doc.dialect === '2.0' ? swaggerLayout(place, textOf(raw, 'collectionFormat')) : layoutOf(raw, place)),
    ...(description !== undefined && { description }),
    ...(content && { mediaType: content[0] }),
  };
}

const styles: Readonly<Record<In, readonly Style[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
  querystring: ['form'],
};

/** How 3.x lays a value out; a style that the place does not know is its default. */
export function layoutOf(raw: unknown, place: In): Layout {
  const known = styles[place];
  const style = known.find((each) => each === textOf(raw, 'style')) ?? known[0] ?? 'form';
  return {
    style,
    explode: flagOf(raw, 'explode') ?? (style === 'form' || style === 'cookie' || style === 'deepObject'),
    allowReserved: flagOf(raw, 'allowReserved') ?? false,
  };
}

/** How 2.0 lays a list out. */
export function swaggerLayout(place: In, collectionFormat: string | undefined): Layout {
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
