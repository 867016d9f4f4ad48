import { parseParameters } from './parameters.js';
import type { Document } from './parse.js';
import { parseRequestBody, parseReply } from './messages.js';
import type {
  SecurityAlternative,
  ApiModel,
  DocumentNote,
  Operation,
  SecurityScheme,
  SkippedOperation,
} from './model.js';
import { resolveReference, type Located } from './references.js';
import { parseServers } from './servers.js';
import { parseSwaggerBody, parseSwaggerReply } from './swagger.js';
import {
  fieldEntries,
  booleanField,
  isRawObject,
  labelField,
  ownField,
  textField,
  textListField,
  type RawObject,
} from './fields.js';

const operationMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

/** Why an operation cannot be offered. */
export interface OperationProblem {
  readonly reason: string;
  readonly message: string;
}

export const isOperationProblem = (value: object): value is OperationProblem => 'reason' in value;

/** Context shared by the parsers of an operation. */
export interface ParseContext {
  readonly doc: Document;
  note(reason: string, message: string): void;
}

/** Normalises a document of any version; every operation ends up in `operations` or in `skipped`. */
export function normaliseDocument(doc: Document): ApiModel {
  const { root } = doc;
  const operations: Operation[] = [];
  const skipped: SkippedOperation[] = [];
  const notes: DocumentNote[] = [];
  for (const [path, item] of fieldEntries(root, 'paths')) {
    if (path.startsWith('x-')) continue;
    const found = resolveReference({ doc, value: item });
    const raw = found.ok ? found.at.value : undefined;
    if (!found.ok || !isRawObject(raw)) {
      skipped.push({
        method: '*',
        path,
        reason: found.ok ? 'malformed_path_item' : found.problem,
        message: found.ok ? 'the path item is not an object' : `the path item refers to ${found.ref.slice(0, 200)}`,
      });
      continue;
    }
    // In 3.x a path item may have fields beside its `$ref`.
    const beside = isRawObject(item) && item !== raw ? item : undefined;
    const whole = beside === undefined ? raw : { ...raw, ...beside };
    for (const [method, operation] of listOperations(whole)) {
      const id = labelField(operation, 'operationId');
      const where = `${method} ${path}`;
      const context: ParseContext = {
        doc: found.at.doc,
        note: (reason, message) => void notes.push({ where, reason, message }),
      };
      const parsed = isRawObject(operation)
        ? parseOperation(context, doc, method, path, whole, operation)
        : { reason: 'malformed_operation', message: 'the operation is not an object' };
      if (isOperationProblem(parsed))
        skipped.push({ method, path, ...(id !== undefined && { operationId: id }), ...parsed });
      else operations.push(parsed);
    }
  }
  const hooks = fieldEntries(root, 'webhooks').length;
  if (hooks > 0)
    notes.push({
      where: 'webhooks',
      reason: 'webhooks_not_offered',
      message: `${hooks} webhooks are sent by the service and are not offered as tools`,
    });
  return {
    title: textField(ownField(root, 'info'), 'title') ?? '',
    version: doc.version,
    operations,
    skipped,
    schemes: parseSchemes(doc),
    notes,
  };
}

function* listOperations(item: RawObject): Generator<readonly [string, unknown]> {
  for (const method of operationMethods)
    if (Object.hasOwn(item, method) && item[method] !== null) yield [method.toUpperCase(), item[method]];
  for (const [method, operation] of fieldEntries(item, 'additionalOperations')) yield [method, operation];
}

function parseOperation(
  context: ParseContext,
  home: Document,
  method: string,
  path: string,
  item: RawObject,
  raw: RawObject,
): Operation | OperationProblem {
  // CONNECT would tunnel past the egress guard, and TRACE echoes credentials (cross-site tracing).
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'TRACE' || method === 'CONNECT')
    return { reason: 'unsupported_method', message: `method ${method.slice(0, 20)} is not supported` };
  if (!path.startsWith('/')) return { reason: 'malformed_path', message: 'the path does not begin with /' };
  const { doc } = context;
  const parameters = parseParameters(context, path, item, raw);
  if (isOperationProblem(parameters)) return parameters;
  const isSwagger = doc.dialect === '2.0';
  const body = isSwagger
    ? parseSwaggerBody(home, raw, parameters.bodies)
    : parseRequestBody(context, { doc, value: ownField(raw, 'requestBody') });
  if (body !== undefined && isOperationProblem(body)) return body;
  const reply = isSwagger ? parseSwaggerReply(context, home, raw) : parseReply(context, raw);
  const security = parseSecurity(ownField(raw, 'security') ?? ownField(home.root, 'security'));
  const [operationId, summary, description] = [
    labelField(raw, 'operationId'),
    textField(raw, 'summary') ?? textField(item, 'summary'),
    textField(raw, 'description') ?? textField(item, 'description'),
  ];
  return {
    method,
    path,
    tags: textListField(raw, 'tags'),
    deprecated: booleanField(raw, 'deprecated') ?? false,
    parameters: parameters.list,
    servers: parseServers(home, item, raw),
    extensions: Object.fromEntries(
      [...fieldEntries({ item }, 'item'), ...fieldEntries({ raw }, 'raw')].filter(([name]) => name.startsWith('x-')),
    ),
    ...(operationId !== undefined && operationId !== '' && { operationId }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(body !== undefined && { body }),
    ...(reply !== undefined && { reply }),
    ...(security !== undefined && { security }),
  };
}

function parseSecurity(value: unknown): readonly SecurityAlternative[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter(isRawObject)
    .map((alternative) =>
      Object.keys(alternative).map((scheme) => ({ scheme, scopes: textListField(alternative, scheme) })),
    );
}

function parseSchemes(doc: Document): ReadonlyMap<string, SecurityScheme> {
  const table =
    doc.dialect === '2.0'
      ? fieldEntries(doc.root, 'securityDefinitions')
      : fieldEntries(ownField(doc.root, 'components'), 'securitySchemes');
  const schemes = new Map<string, SecurityScheme>();
  for (const [name, value] of table) {
    const found = resolveReference({ doc, value });
    if (found.ok) schemes.set(name, parseScheme(found.at));
  }
  return schemes;
}

function parseScheme({ value }: Located): SecurityScheme {
  const [type, place, name, scheme] = [
    textField(value, 'type'),
    textField(value, 'in'),
    textField(value, 'name'),
    textField(value, 'scheme')?.toLowerCase(),
  ];
  if (type === 'apiKey' && name !== undefined && (place === 'header' || place === 'query' || place === 'cookie'))
    return { kind: 'apiKey', in: place, name };
  if (type === 'basic' || (type === 'http' && scheme === 'basic')) return { kind: 'basic' };
  if (type === 'http' && scheme === 'bearer') return { kind: 'bearer' };
  if (type === 'oauth2' || type === 'openIdConnect') return { kind: 'oauth2' };
  return { kind: 'other' };
}
