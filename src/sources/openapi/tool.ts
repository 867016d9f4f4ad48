import { isUtf8 } from 'node:buffer';
import type { Args, Call } from '../../core/call.js';
import type { Json, JsonObject } from '../../core/json.js';
import { refuse, type Outcome } from '../../core/outcome.js';
import { defaultLimits, type Contract, type Limits, type Problem, type Tool } from '../../core/tool.js';
import { clean } from '../../hostile-text/clean.js';
import { lru } from '../../lib/lru.js';
import { judge, type Judge } from '../../lib/schema.js';
import { truncateText } from '../../lib/truncate.js';
import type { Egress, EgressResponse, Failed, Refused, ResponseHeaders } from '../../net/egress-types.js';
import { hiding } from '../http/hiding.js';
import { told, unanswered } from './answers.js';
import type { Credentials } from './credentials.js';
import { effectsOf } from './effects.js';
import { said, type Operation } from './model.js';
import type { Override } from './overrides.js';
import { followed, isPaged, mostPages } from './pages.js';
import { flattened, planOf, type Plan } from './plan.js';
import { prepared, type Prepared, type PreparedOrProblem } from './request.js';
import type { Schema, Schemas } from './schemas.js';
import type { Base } from './servers.js';
import { shown, type Shown } from './shown.js';

/** What the tools of one document share. */
export interface Workshop {
  readonly source: string;
  readonly schemas: Schemas;
  readonly egress: () => Egress;
  readonly credentials: Credentials;
  readonly budgets: { readonly toolBytes: number; readonly outputBytes: number; readonly responseBytes: number };
  readonly limits: Partial<Limits>;
}

/** A tool of an operation, with what the source needs to know of it. */
export interface OperationTool extends Tool {
  readonly operation: Operation;
  /** The whole input schema, self-contained. */
  full(): Schema;
  isShortened(): boolean;
}

const pagesArgument = 'follow_pages';

/** Makes the tool of an operation. Schemas are worked out when somebody looks: a large document has many that nobody does. */
export function operationTool(
  operation: Operation,
  name: string,
  base: Base,
  override: Override,
  workshop: Workshop,
): OperationTool {
  const { schemas, budgets, source } = workshop;
  const plan = once((): Plan => planOf(operation, schemas, override.arguments));
  const pages = isPaged(operation) && !operation.parameters.some((parameter) => parameter.name === pagesArgument);
  const input = once((): Schema => (pages ? withPages(plan().input) : plan().input));
  const full = once((): Schema => closed(input(), schemas));
  const short = once((): Shown => shown(input(), schemas, budgets.toolBytes - 1_500 - budgets.outputBytes));
  const reply = once((): Schema | undefined => replySchema(operation, schemas));
  const isObject = budgets.outputBytes >= 200 && isObjectReply(reply(), schemas);
  const output = once((): Schema => outputSchema(reply() ?? {}, schemas, budgets.outputBytes));
  const judged = once((): Judge => guardedJudge(full()));
  const judgedReply = once((): Judge | undefined => {
    const schema = reply();
    return schema && guardedJudge(closed(schema, schemas));
  });
  const effects = effectsOf(operation, override);
  const aliases = once(
    () =>
      new Map(
        plan()
          .slots.filter(({ argument, parameter }) => argument !== parameter.name)
          .map(({ argument, parameter }) => [parameter.name, argument]),
      ),
  );

  const ready = new WeakMap<object, PreparedOrProblem>();

  const contract: Contract<Args> = {
    get schema() {
      return short().schema;
    },
    parse(value) {
      const named = renamed(value, plan(), aliases());
      const misfits = judged()(named);
      if (misfits.length > 0)
        return {
          ok: false,
          problems: misfits.map(({ field, message, keyword, expected }): Problem => ({
            field,
            message,
            keyword,
            ...(expected !== undefined && { expected: expected as Json }),
          })),
        }; // ajv's params were cut out of a JSON schema
      const made = prepared(operation, plan(), base, named as Args, schemas); // the schema has just said that it is an object
      // Built once: what was checked is what is sent.
      if (made.ok) ready.set(named as object, made);
      return made.ok
        ? { ok: true, value: named as Args }
        : { ok: false, problems: [{ field: made.field, message: made.message, keyword: 'request' }] };
    },
  };

  const titled = override.title ?? (operation.description === undefined ? undefined : operation.summary);
  return {
    name,
    ...(titled !== undefined && titled !== '' && { title: tidy(titled, 120) }),
    description: tidy(override.description ?? describe(operation), 1_024),
    input: contract,
    ...(isObject && {
      output: {
        get schema() {
          return output();
        },
      },
    }),
    source,
    effects,
    tasks: 'optional',
    limits: {
      ...defaultLimits,
      timeoutMs: 30_000,
      maxTimeoutMs: 120_000,
      concurrency: 8,
      ratePerMinute: 0,
      ...workshop.limits,
      maxOutputBytes: Math.ceil(budgets.responseBytes * 1.4),
    },
    ...((operation.tags.length > 0 || override.meta) && {
      meta: {
        ...(operation.tags.length > 0 && { 'toolgate/tags': operation.tags.slice(0, 10).map((tag) => tidy(tag, 60)) }),
        ...override.meta,
      },
    }),
    get details() {
      return detailsOf(operation, name, full());
    },
    operation,
    full,
    isShortened: () => short().isShortened,
    run: (call) => run(call),
  };

  async function run(call: Call): Promise<Outcome> {
    const made = ready.get(call.args) ?? prepared(operation, plan(), base, call.args, schemas);
    if (!made.ok) return refuse('invalid_arguments', `${made.field.slice(1)} ${made.message}`);
    const added = await workshop.credentials.for(operation.security, base.origin, call.signal);
    if (!added.ok) return refuse('permission_denied', `${said(operation)}: ${added.message}`);
    const send = (request: Prepared, search: string, maxBytes: number): Promise<EgressResponse | Refused | Failed> => {
      const extra = added.added.query.join('&');
      const query = search === '' ? extra : extra === '' ? search : `${search}&${extra}`;
      const cookies = [...without(request.cookies, added.added.cookies), ...added.added.cookies].join('; ');
      return workshop.egress().request({
        url: `${request.origin}${request.path}${query === '' ? '' : `?${query}`}`,
        method: request.method,
        headers: {
          accept: operation.reply?.mediaType?.includes('json') === false ? '*/*' : 'application/json, */*;q=0.5',
          ...request.headers,
          ...added.added.headers,
          ...(cookies !== '' && { cookie: cookies }),
        },
        // A redirect of a writing request would write somewhere else.
        redirect: request.method === 'GET' || request.method === 'HEAD' ? 'follow' : 'manual',
        secretHeaders: added.added.secretHeaders,
        signal: call.signal,
        maxResponseBytes: maxBytes,
        ...(call.timeoutMs !== undefined && { timeoutMs: call.timeoutMs }),
        ...(request.body !== undefined && { body: request.body }),
      });
    };
    const { request } = made;
    const first = without(request.query.join('&').split('&'), added.added.query).join('&');
    const { secrets } = added.added;
    const response = quiet(await send(request, first, budgets.responseBytes), secrets);
    if (response.kind !== 'response') return unanswered(response);
    // Only where a token was sent: an operation that needs none could otherwise make us fetch a new one for every call.
    if (response.status === 401 && secrets.length > 0) workshop.credentials.forget();
    const outputJudge = judgedReply();
    const wanted = pages ? call.args[pagesArgument] : undefined;
    const telling = {
      name: said(operation),
      source,
      isObject,
      ...(outputJudge && typeof wanted !== 'number' && { judge: outputJudge }),
    };
    const more =
      typeof wanted === 'number' && response.status === 200
        ? await followed(response, {
            operation,
            first: new URL(`${request.origin}${request.path}${first === '' ? '' : `?${first}`}`),
            pages: wanted,
            maxBytes: budgets.responseBytes,
            get: async (search, maxBytes) =>
              quiet(
                await send(
                  request,
                  without(search.replace(/^\?/, '').split('&'), added.added.query).join('&'),
                  maxBytes,
                ),
                secrets,
              ),
          })
        : undefined;
    return told(response, telling, more);
  }
}

/** A judge that survives schemas which lead into themselves without an end: no value can be held against those. */
function guardedJudge(schema: Schema): Judge {
  const judged = judge(schema);
  return (value) => {
    try {
      return judged(value);
    } catch {
      return [
        {
          field: '',
          keyword: 'schema',
          message: 'cannot be checked: the schema in the document has no end or cannot be compiled',
        },
      ];
    }
  };
}

const hiders = lru<string, (text: string) => string>(32);

/** An answer without our credentials: a service that echoes its request, in its body or in a header, must not hand them to the model. */
function quiet<T extends EgressResponse | Refused | Failed>(response: T, secrets: readonly string[]): T {
  if (secrets.length === 0 || response.kind !== 'response') return response;
  const key = secrets.join('\0');
  let hide = hiders.get(key);
  if (hide === undefined) hiders.set(key, (hide = hiding(secrets)));
  // One byte that is no text must not carry the rest past us, so bytes are looked through as they are.
  const form = isUtf8(response.body) ? 'utf8' : 'latin1';
  const text = response.body.toString(form);
  const hidden = hide(text);
  return {
    ...response,
    headers: withoutSecrets(response.headers, hide),
    ...(hidden !== text && { body: Buffer.from(hidden, form) }),
  };
}

const withoutSecrets = (headers: ResponseHeaders, hide: (text: string) => string): ResponseHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? hide(value) : value?.map(hide)]),
  );

/** Pairs without those whose names belong to the credentials: an object written out in a query may hold any name. */
function without(pairs: readonly string[], credentials: readonly string[]): readonly string[] {
  const names = new Set(credentials.map((pair) => pair.split('=')[0]));
  return names.size === 0 ? pairs : pairs.filter((pair) => !names.has(pair.split('=')[0]));
}

/** Remembers what was worked out. */
function once<T>(make: () => T): () => T {
  let kept: { readonly value: T } | undefined;
  return () => (kept ??= { value: make() }).value;
}

/** Text of a document as a client may see it: nothing invisible, and not too much. */
export function tidy(text: string, maxBytes: number): string {
  const { value, truncated } = truncateText(clean(text).text.trim(), maxBytes);
  return truncated ? `${value.trimEnd()}…` : value;
}

function describe(operation: Operation): string {
  const texts = [operation.summary, operation.description].filter(
    (text): text is string => text !== undefined && text.trim() !== '',
  );
  const words = texts.length === 2 && texts[1]?.startsWith(texts[0] ?? '') ? texts.slice(1) : texts;
  return `${operation.deprecated ? 'Deprecated. ' : ''}${words.length > 0 ? words.join('\n') : said(operation)}`;
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
        maximum: mostPages,
        description: 'Follow up to so many pages and join them',
      },
    },
  }; // a plan's input has properties
}

/** A schema with every shared one it leads to. */
function closed(schema: Schema, schemas: Schemas): Schema {
  const names = schemas.reach([schema]);
  if (names.length === 0) return schema;
  const inside = new Set(names);
  const defs: Record<string, Schema> = {};
  for (const name of names) defs[name] = schemas.def(name);
  // What lies beyond the limit is not checked, and never a reference to nothing.
  for (const name of schemas.reach(Object.values(defs))) if (!inside.has(name)) defs[name] = {};
  return { ...schema, $defs: defs };
}

function replySchema({ reply, method }: Operation, schemas: Schemas): Schema | undefined {
  if (
    reply?.schema === undefined ||
    method === 'HEAD' ||
    (reply.mediaType !== undefined && !/json|\*/.test(reply.mediaType))
  )
    return undefined;
  return schemas.of(reply.schema, 'reply');
}

/** What is shown of an answer: its declared shape, beside "anything", so that no answer of a careless service fails in the client. */
const outputSchema = (schema: Schema, schemas: Schemas, maxBytes: number): Schema => ({
  type: 'object',
  anyOf: [shown(schema, schemas, maxBytes - 60).schema, {}],
});

function isObjectReply(schema: Schema | undefined, schemas: Schemas): boolean {
  if (schema === undefined) return false;
  const { type, properties, allOf } = flattened(schema, schemas);
  return type === 'object' || (type === undefined && (properties !== undefined || allOf !== undefined));
}

/** Arguments under the names of the plan; a caller may also use a parameter's own name. */
function renamed(value: unknown, plan: Plan, aliases: ReadonlyMap<string, string>): unknown {
  if (aliases.size === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const known = new Set(plan.slots.map(({ argument }) => argument));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [known.has(key) ? key : (aliases.get(key) ?? key), item as Json]),
  );
}

function detailsOf(operation: Operation, name: string, full: Schema): JsonObject {
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
      'path segments encoded, dot segments refused',
      'credentials bound to one origin',
    ],
  };
}
