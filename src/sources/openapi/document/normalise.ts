import { parseParameters } from './parameters.js';
import type { Document } from './parse.js';
import { parseRequestBody, parseReply } from './messages.js';
import type {
  Body,
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

/** Methods that a path item may have; `query` is new in 3.2. */
const operationMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'] as const;

/** Why an operation cannot be offered. */
export interface OperationProblem {
  readonly reason: string;
  readonly message: string;
}

/** Distinguishes a problem from a parsed part. */
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
    // Extensions are no paths.
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
    // Fields beside a reference override the referenced ones.
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
  // Counted and mentioned, so that they are not missed silently.
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

/** Operations of a path item, with those of `additionalOperations` (3.2). */
function* listOperations(item: RawObject): Generator<readonly [string, unknown]> {
  for (const method of operationMethods)
    if (Object.hasOwn(item, method) && item[method] !== null) yield [method.toUpperCase(), item[method]];
  for (const [method, operation] of fieldEntries(item, 'additionalOperations')) yield [method, operation];
}

/** Parses one operation, or returns why it cannot be offered. */
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
  // Parameters first: in 2.0 they also hold the body.
  const parameters = parseParameters(context, path, item, raw);
  if (isOperationProblem(parameters)) return parameters;
  const isSwagger = doc.dialect === '2.0';
  const body = isSwagger
    ? parseSwaggerBody(home, raw, parameters.bodies)
    : parseRequestBody(context, { doc, value: ownField(raw, 'requestBody') });
  if (body !== undefined && isOperationProblem(body)) return body;
  const isSent = body !== undefined && !(isBodiless(method) && isEmptySchema(body));
  const reply = isSwagger ? parseSwaggerReply(context, home, raw) : parseReply(context, raw);
  // The operation overrides the document, also with an empty list, which means "no security".
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
    original: raw,
    extensions: Object.fromEntries(
      [...fieldEntries({ item }, 'item'), ...fieldEntries({ raw }, 'raw')].filter(([name]) => name.startsWith('x-')),
    ),
    ...(operationId !== undefined && operationId !== '' && { operationId }),
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    ...(isSent && { body }),
    ...(reply !== undefined && { reply }),
    ...(security !== undefined && { security }),
  };
}

/** Methods whose body servers ignore or reject. */
const isBodiless = (method: string): boolean => method === 'GET' || method === 'HEAD';

/** Whether a body declares nothing: generators add such bodies to every operation, and a GET has no use for one. */
const isEmptySchema = ({ schema }: Body): boolean =>
  schema === undefined || (isRawObject(schema.value) && Object.keys(schema.value).length === 0);

/** Alternatives of security requirements; undefined if none are stated. */
function parseSecurity(value: unknown): readonly SecurityAlternative[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value
    .filter(isRawObject)
    .map((alternative) =>
      Object.keys(alternative).map((scheme) => ({ scheme, scopes: textListField(alternative, scheme) })),
    );
}

/** Security schemes by name; those with broken references are left out. */
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

/** One scheme; unsupported ones keep a label for the message. */
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
  return { kind: 'unsupported', label: (type === 'http' ? scheme : type)?.slice(0, 40) ?? 'unknown' };
}
