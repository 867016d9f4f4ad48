import { readParameters } from './parameters.js';
import type { Document } from './document.js';
import { readBody, readReply } from './messages.js';
import type { Alternative, Model, Note, Operation, Scheme, Skipped } from './model.js';
import { resolved, type Located } from './references.js';
import { serversOf } from './servers.js';
import { swaggerBody, swaggerReply } from './swagger.js';
import { entriesOf, flagOf, isRaw, labelOf, own, textOf, textsOf, type Raw } from './values.js';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

/** A reason to leave one operation out, found while reading it. */
export interface Fault {
  readonly reason: string;
  readonly message: string;
}

export const isFault = (value: object): value is Fault => 'reason' in value;

/** What the readers of an operation's parts share. */
export interface Reading {
  readonly doc: Document;
  note(reason: string, message: string): void;
}

/** Brings a document of any version to one form; every operation in it is either there or among the skipped. */
export function normalised(doc: Document): Model {
  const { root } = doc;
  const operations: Operation[] = [];
  const skipped: Skipped[] = [];
  const notes: Note[] = [];
  for (const [path, item] of entriesOf(root, 'paths')) {
    if (path.startsWith('x-')) continue;
    const found = resolved({ doc, value: item });
    const raw = found.ok ? found.at.value : undefined;
    if (!found.ok || !isRaw(raw)) {
      skipped.push({
        method: '*',
        path,
        reason: found.ok ? 'malformed_path_item' : found.fault,
        message: found.ok ? 'the path item is not an object' : `the path item refers to ${found.ref.slice(0, 200)}`,
      });
      continue;
    }
    // In 3.x a path item may hold fields of its own beside the reference.
    const beside = isRaw(item) && item !== raw ? item : undefined;
    const whole = beside === undefined ? raw : { ...raw, ...beside };
    for (const [method, operation] of operationsOf(whole)) {
      const id = labelOf(operation, 'operationId');
      const where = `${method} ${path}`;
      const reading: Reading = {
        doc: found.at.doc,
        note: (reason, message) => void notes.push({ where, reason, message }),
      };
      const made = isRaw(operation)
        ? operationOf(reading, doc, method, path, whole, operation)
        : { reason: 'malformed_operation', message: 'the operation is not an object' };
      if (isFault(made)) skipped.push({ method, path, ...(id !== undefined && { operationId: id }), ...made });
      else operations.push(made);
    }
  }
  const hooks = entriesOf(root, 'webhooks').length;
  if (hooks > 0)
    notes.push({
      where: 'webhooks',
      reason: 'webhooks_not_offered',
      message: `${hooks} webhooks are calls that the service makes; they are no tools`,
    });
  return {
    title: textOf(own(root, 'info'), 'title') ?? '',
    version: doc.version,
    operations,
    skipped,
    schemes: schemesOf(doc),
    notes,
  };
}

function* operationsOf(item: Raw): Generator<readonly [string, unknown]> {
  for (const method of methods)
    if (Object.hasOwn(item, method) && item[method] !== null) yield [method.toUpperCase(), item[method]];
  for (const [method, operation] of entriesOf(item, 'additionalOperations')) yield [method, operation];
}

function operationOf(
  reading: Reading,
  home: Document,
  method: string,
  path: string,
  item: Raw,
  raw: Raw,
): Operation | Fault {
  // CONNECT and TRACE are refused by the way out: one tunnels past it, the other echoes credentials.
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'TRACE' || method === 'CONNECT')
    return { reason: 'unsupported_method', message: `method ${method.slice(0, 20)} is not sent` };
  if (!path.startsWith('/')) return { reason: 'malformed_path', message: 'the path does not begin with /' };
  const { doc } = reading;
  const parameters = readParameters(reading, path, item, raw);
  if (isFault(parameters)) return parameters;
  const isSwagger = doc.dialect === '2.0';
  const body = isSwagger
    ? swaggerBody(home, raw, parameters.bodies)
    : readBody(reading, { doc, value: own(raw, 'requestBody') });
  if (body !== undefined && isFault(body)) return body;
  const reply = isSwagger ? swaggerReply(reading, home, raw) : readReply(reading, raw);
  const security = alternatives(own(raw, 'security') ?? own(home.root, 'security'));
  const [operationId, summary, description] = [
    labelOf(raw, 'operationId'),
    textOf(raw, 'summary') ?? textOf(item, 'summary'),
    textOf(raw, 'description') ?? textOf(item, 'description'),
  ];
  return {
    method,
    path,
    tags: textsOf(raw, 'tags'),
    deprecated: flagOf(raw, 'deprecated') ?? false,
    parameters: parameters.list,
    servers: serversOf(home, item, raw),
    extensions: Object.fromEntries(
      [...entriesOf({ item }, 'item'), ...entriesOf({ raw }, 'raw')].filter(([name]) => name.startsWith('x-')),
    ),
    ...(operationId !== undefined && operationId !== '' && { operationId }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(body !== undefined && { body }),
    ...(reply !== undefined && { reply }),
    ...(security !== undefined && { security }),
  };
}

function alternatives(value: unknown): readonly Alternative[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter(isRaw)
    .map((alternative) => Object.keys(alternative).map((scheme) => ({ scheme, scopes: textsOf(alternative, scheme) })));
}

function schemesOf(doc: Document): ReadonlyMap<string, Scheme> {
  const table =
    doc.dialect === '2.0'
      ? entriesOf(doc.root, 'securityDefinitions')
      : entriesOf(own(doc.root, 'components'), 'securitySchemes');
  const schemes = new Map<string, Scheme>();
  for (const [name, value] of table) {
    const found = resolved({ doc, value });
    if (found.ok) schemes.set(name, schemeOf(found.at));
  }
  return schemes;
}

function schemeOf({ value }: Located): Scheme {
  const [type, place, name, scheme] = [
    textOf(value, 'type'),
    textOf(value, 'in'),
    textOf(value, 'name'),
    textOf(value, 'scheme')?.toLowerCase(),
  ];
  if (type === 'apiKey' && name !== undefined && (place === 'header' || place === 'query' || place === 'cookie'))
    return { kind: 'apiKey', in: place, name };
  if (type === 'basic' || (type === 'http' && scheme === 'basic')) return { kind: 'basic' };
  if (type === 'http' && scheme === 'bearer') return { kind: 'bearer' };
  if (type === 'oauth2' || type === 'openIdConnect') return { kind: 'oauth2' };
  return { kind: 'other' };
}
