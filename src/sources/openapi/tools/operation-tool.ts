import { isUtf8 } from 'node:buffer';
import type { Args, Call } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { refuse, type Outcome } from '../../../core/outcome.js';
import { declareLimits } from '../../../core/limits.js';
import type { Contract, Limits, Problem, Tool } from '../../../core/tool.js';
import { clean } from '../../../hostile-text/clean.js';
import { lru } from '../../../lib/lru.js';
import { schemaValidator, type SchemaValidator } from '../../../lib/schema.js';
import { truncateText } from '../../../lib/truncate.js';
import type { Egress, EgressResponse, Failed, Refused, ResponseHeaders } from '../../../net/egress-types.js';
import { secretRedactor } from '../../http/secret-redactor.js';
import { toResponseOutcome, toFailureOutcome } from '../responses/outcomes.js';
import type { Credentials } from '../request/credentials.js';
import { effectsOf } from './effects.js';
import { operationLabel, type Operation } from '../document/model.js';
import type { Override } from './overrides.js';
import { followPages, isPaged, maxPages } from '../responses/pagination.js';
import { dereference, planArguments, type ArgumentPlan } from '../request/argument-plan.js';
import { prepareRequest, type PreparedRequest, type PrepareResult } from '../request/prepare.js';
import type { Schema, SchemaConverter } from '../schemas/converter.js';
import type { BaseUrl } from '../document/servers.js';
import { abbreviateSchema, type AbbreviatedSchema } from '../schemas/abbreviate.js';

/** Context shared by the tools of one document. */
export interface ToolContext {
  readonly source: string;
  readonly schemas: SchemaConverter;
  readonly egress: () => Egress;
  readonly credentials: Credentials;
  readonly budgets: { readonly toolBytes: number; readonly outputBytes: number; readonly responseBytes: number };
  readonly limits: Partial<Limits>;
}

/** A tool and the operation it calls. */
export interface OperationTool extends Tool {
  readonly operation: Operation;
  /** The full, self-contained input schema. */
  fullSchema(): Schema;
  isAbbreviated(): boolean;
}

const pagesArgument = 'follow_pages';

/** Builds the tool of an operation; schemas are converted lazily, since most of a large document are never used. */
export function operationTool(
  operation: Operation,
  name: string,
  base: BaseUrl,
  override: Override,
  context: ToolContext,
): OperationTool {
  const { schemas, budgets, source } = context;
  const plan = memoize((): ArgumentPlan => planArguments(operation, schemas, override.arguments));
  const pages = isPaged(operation) && !operation.parameters.some((parameter) => parameter.name === pagesArgument);
  const input = memoize((): Schema => (pages ? withPages(plan().input) : plan().input));
  const full = memoize((): Schema => withDefinitions(input(), schemas));
  const short = memoize((): AbbreviatedSchema =>
    abbreviateSchema(input(), schemas, budgets.toolBytes - 1_500 - budgets.outputBytes),
  );
  const reply = memoize((): Schema | undefined => replySchema(operation, schemas));
  const hasObjectSchema = budgets.outputBytes >= 200 && isObjectReply(reply(), schemas);
  const output = memoize((): Schema => permissiveOutputSchema(reply() ?? {}, schemas, budgets.outputBytes));
  const validateInput = memoize((): SchemaValidator => safeValidator(full()));
  const validateReply = memoize((): SchemaValidator | undefined => {
    const schema = reply();
    return schema && safeValidator(withDefinitions(schema, schemas));
  });
  const effects = effectsOf(operation, override);
  const aliases = memoize(
    () =>
      new Map(
        plan()
          .slots.filter(({ argument, parameter }) => argument !== parameter.name)
          .map(({ argument, parameter }) => [parameter.name, argument]),
      ),
  );

  const preparedByArgs = new WeakMap<object, PrepareResult>();

  const contract: Contract<Args> = {
    get schema() {
      return short().schema;
    },
    parse(value) {
      const named = applyAliases(value, plan(), aliases());
      const violations = validateInput()(named);
      if (violations.length > 0)
        return {
          ok: false,
          problems: violations.map(({ field, message, keyword, expected }): Problem => ({
            field,
            message,
            keyword,
            ...(expected !== undefined && { expected: expected as Json }),
          })),
        }; // the validator's parameters are parts of a JSON schema
      const prepared = prepareRequest(operation, plan(), base, named as Args, schemas); // an object, by the schema
      // The request that was validated is the one that is sent (TOCTOU).
      if (prepared.ok) preparedByArgs.set(named as object, prepared);
      return prepared.ok
        ? { ok: true, value: named as Args }
        : { ok: false, problems: [{ field: prepared.field, message: prepared.message, keyword: 'request' }] };
    },
  };

  const titleText = override.title ?? (operation.description === undefined ? undefined : operation.summary);
  return {
    name,
    ...(titleText !== undefined && titleText !== '' && { title: cleanText(titleText, 120) }),
    description: cleanText(override.description ?? describeOperation(operation), 1_024),
    input: contract,
    ...(hasObjectSchema && {
      output: {
        get schema() {
          return output();
        },
      },
    }),
    source,
    effects,
    ...(override.claims !== undefined && {
      claimedEffects: effectsOf(operation, { ...override.claims, ...override }),
    }),
    tasks: 'optional',
    ...declareLimits({
      limits: {
        timeoutMs: 30_000,
        maxTimeoutMs: 120_000,
        concurrency: 8,
        ...context.limits,
        maxOutputBytes: Math.ceil(budgets.responseBytes * 1.4),
      },
    }),
    ...((operation.tags.length > 0 || override.meta) && {
      meta: {
        ...(operation.tags.length > 0 && {
          'toolgate/tags': operation.tags.slice(0, 10).map((tag) => cleanText(tag, 60)),
        }),
        ...override.meta,
      },
    }),
    get details() {
      return operationDetails(operation, name, full());
    },
    operation,
    fullSchema: full,
    isAbbreviated: () => short().isAbbreviated,
    run: (call) => run(call),
  };

  async function run(call: Call): Promise<Outcome> {
    const prepared = preparedByArgs.get(call.args) ?? prepareRequest(operation, plan(), base, call.args, schemas);
    if (!prepared.ok) return refuse('invalid_arguments', `${prepared.field.slice(1)} ${prepared.message}`);
    const credentials = await context.credentials.forRequest(operation.security, base.origin, call.signal);
    if (!credentials.ok) return refuse('permission_denied', `${operationLabel(operation)}: ${credentials.message}`);
    const send = (
      request: PreparedRequest,
      search: string,
      maxBytes: number,
    ): Promise<EgressResponse | Refused | Failed> => {
      const extra = credentials.parts.query.join('&');
      const query = search === '' ? extra : extra === '' ? search : `${search}&${extra}`;
      const cookies = [
        ...dropCredentialNames(request.cookies, credentials.parts.cookies),
        ...credentials.parts.cookies,
      ].join('; ');
      return context.egress().request({
        url: `${request.origin}${request.path}${query === '' ? '' : `?${query}`}`,
        method: request.method,
        headers: {
          accept: operation.reply?.mediaType?.includes('json') === false ? '*/*' : 'application/json, */*;q=0.5',
          ...request.headers,
          ...credentials.parts.headers,
          ...(cookies !== '' && { cookie: cookies }),
        },
        // Redirects of unsafe methods are not followed: they would write to another resource.
        redirect: request.method === 'GET' || request.method === 'HEAD' ? 'follow' : 'manual',
        secretHeaders: credentials.parts.secretHeaders,
        signal: call.signal,
        maxResponseBytes: maxBytes,
        ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
        ...(request.body !== undefined && { body: request.body }),
      });
    };
    const { request } = prepared;
    const first = dropCredentialNames(request.query.join('&').split('&'), credentials.parts.query).join('&');
    const { secrets } = credentials.parts;
    const response = redactResponse(await send(request, first, budgets.responseBytes), secrets);
    if (response.kind !== 'response') return toFailureOutcome(response);
    // Only if credentials were sent: otherwise a public operation could force a token request on every call.
    if (response.status === 401 && secrets.length > 0) context.credentials.dropTokens();
    const responseValidator = validateReply();
    const pageLimit = pages ? call.args[pagesArgument] : undefined;
    const responseContext = {
      name: operationLabel(operation),
      source,
      hasObjectSchema,
      ...(responseValidator && typeof pageLimit !== 'number' && { validate: responseValidator }),
    };
    const paged =
      typeof pageLimit === 'number' && response.status === 200
        ? await followPages(response, {
            operation,
            first: new URL(`${request.origin}${request.path}${first === '' ? '' : `?${first}`}`),
            pages: pageLimit,
            maxBytes: budgets.responseBytes,
            get: async (search, maxBytes) =>
              redactResponse(
                await send(
                  request,
                  dropCredentialNames(search.replace(/^\?/, '').split('&'), credentials.parts.query).join('&'),
                  maxBytes,
                ),
                secrets,
              ),
          })
        : undefined;
    return toResponseOutcome(response, responseContext, paged);
  }
}

/** Validator that reports a violation instead of throwing, for example on an infinitely recursive schema. */
function safeValidator(schema: Schema): SchemaValidator {
  const validate = schemaValidator(schema);
  return (value) => {
    try {
      return validate(value);
    } catch {
      return [
        {
          field: '',
          keyword: 'schema',
          message: 'cannot be validated: the schema in the document is infinitely recursive or cannot be compiled',
        },
      ];
    }
  };
}

const redactorCache = lru<string, (text: string) => string>(32);

/** Redacts credentials from a response: a service that echoes its request must not disclose them to the model. */
function redactResponse<T extends EgressResponse | Refused | Failed>(response: T, secrets: readonly string[]): T {
  if (secrets.length === 0 || response.kind !== 'response') return response;
  const key = secrets.join('\0');
  let redact = redactorCache.get(key);
  if (redact === undefined) redactorCache.set(key, (redact = secretRedactor(secrets)));
  // Binary bodies are searched as latin1, so that one invalid byte does not bypass redaction.
  const encoding = isUtf8(response.body) ? 'utf8' : 'latin1';
  const text = response.body.toString(encoding);
  const redacted = redact(text);
  return {
    ...response,
    headers: redactHeaders(response.headers, redact),
    ...(redacted !== text && { body: Buffer.from(redacted, encoding) }),
  };
}

const redactHeaders = (headers: ResponseHeaders, redact: (text: string) => string): ResponseHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? redact(value) : value?.map(redact),
    ]),
  );

/** Removes pairs with names of credentials: an exploded object may contain any name (parameter pollution). */
function dropCredentialNames(pairs: readonly string[], credentials: readonly string[]): readonly string[] {
  const names = new Set(credentials.map((pair) => pair.split('=')[0]));
  return names.size === 0 ? pairs : pairs.filter((pair) => !names.has(pair.split('=')[0]));
}

/** Computes a value once, on first use. */
function memoize<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => (cached ??= { value: make() }).value;
}

/** Sanitises a text of the document for clients: removes invisible characters and limits its length. */
export function cleanText(text: string, maxBytes: number): string {
  const { value, truncated } = truncateText(clean(text).text.trim(), maxBytes);
  return truncated ? `${value.trimEnd()}…` : value;
}

function describeOperation(operation: Operation): string {
  const texts = [operation.summary, operation.description].filter(
    (text): text is string => text !== undefined && text.trim() !== '',
  );
  const words = texts.length === 2 && texts[1]?.startsWith(texts[0] ?? '') ? texts.slice(1) : texts;
  return `${operation.deprecated ? 'Deprecated. ' : ''}${words.length > 0 ? words.join('\n') : operationLabel(operation)}`;
}

function withPages(input: Schema): Schema {
  const { properties } = input;
  return {
    ...input,
    properties: {
      ...(properties as JsonObject),
      [pagesArgument]: {
        type: 'integer',
        minimum: 1,
        maximum: maxPages,
        description: 'Maximum number of pages to follow and join',
      },
    },
  }; // the plan's input has properties
}

/** Adds all reachable definitions to a schema. */
function withDefinitions(schema: Schema, schemas: SchemaConverter): Schema {
  const names = schemas.reachableNames([schema]);
  if (names.length === 0) return schema;
  const inside = new Set(names);
  const defs: Record<string, Schema> = {};
  for (const name of names) defs[name] = schemas.def(name);
  // Definitions beyond the limit accept anything, so that no reference is unresolved.
  for (const name of schemas.reachableNames(Object.values(defs))) if (!inside.has(name)) defs[name] = {};
  return { ...schema, $defs: defs };
}

function replySchema({ reply, method }: Operation, schemas: SchemaConverter): Schema | undefined {
  if (
    reply?.schema === undefined ||
    method === 'HEAD' ||
    (reply.mediaType !== undefined && !/json|\*/.test(reply.mediaType))
  )
    return undefined;
  return schemas.convert(reply.schema, 'reply');
}

/** Declared output schema with an alternative that accepts anything, so that clients never reject a response that violates the document. */
const permissiveOutputSchema = (schema: Schema, schemas: SchemaConverter, maxBytes: number): Schema => ({
  type: 'object',
  anyOf: [abbreviateSchema(schema, schemas, maxBytes - 60).schema, {}],
});

function isObjectReply(schema: Schema | undefined, schemas: SchemaConverter): boolean {
  if (schema === undefined) return false;
  const { type, properties, allOf } = dereference(schema, schemas);
  return type === 'object' || (type === undefined && (properties !== undefined || allOf !== undefined));
}

/** Renames arguments: callers may also use the original name of a parameter. */
function applyAliases(value: unknown, plan: ArgumentPlan, aliases: ReadonlyMap<string, string>): unknown {
  if (aliases.size === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const argumentNames = new Set(plan.slots.map(({ argument }) => argument));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      argumentNames.has(key) ? key : (aliases.get(key) ?? key),
      item as Json,
    ]),
  );
}

function operationDetails(operation: Operation, name: string, full: Schema): JsonObject {
  const { method, path, operationId, summary, description, tags, deprecated, extensions, body } = operation;
  return {
    name,
    method,
    path,
    operation_id: operationId,
    summary,
    description,
    tags,
    deprecated,
    extensions: extensions as JsonObject, // documents are JSON or YAML without tags
    body_media_types: body?.offered,
    input_schema: full,
    security_features: [
      'one operation of one API',
      'path segments encoded, dot segments rejected',
      'credentials bound to one origin',
    ],
  };
}
