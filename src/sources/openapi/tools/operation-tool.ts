import type { Args, Call } from '../../../core/call.js';
import type { Json, JsonObject } from '../../../core/json.js';
import { refuse, type Outcome } from '../../../core/outcome.js';
import { defaultedValidator } from '../../../core/contract.js';
import { declareLimits } from '../../../core/limits.js';
import type { Contract, Limits, Problem, Tool } from '../../../core/tool.js';
import type { Egress } from '../../../net/egress/egress-types.js';
import type { Timing } from '../../http/sender.js';
import { toResponseOutcome, toFailureOutcome } from '../responses/outcomes.js';
import type { Credentials } from '../request/credentials.js';
import { exchange } from '../request/exchange.js';
import { effectsOf } from './effects.js';
import { operationLabel, type Operation } from '../document/model.js';
import type { Override } from './overrides.js';
import { followPages, isPaged, maxPages } from '../responses/pagination.js';
import { dereference, planArguments, type ArgumentPlan } from '../request/argument-plan.js';
import { prepareRequest, type PrepareResult } from '../request/prepare.js';
import type { Schema, SchemaConverter } from '../schemas/converter.js';
import type { BaseUrl } from '../document/servers.js';
import { abbreviateSchema, type AbbreviatedSchema } from '../schemas/abbreviate.js';
import { toClientSchema } from '../schemas/client-schema.js';
import { cleanText } from '../schemas/prose.js';
import { checkInput, checkReply, resolver } from '../schemas/validation.js';
import { describeOperation, operationDetails, operationFacts } from './operation-details.js';
import type { PresetValues } from './presets.js';

/** Context shared by the tools of one document. */
export interface ToolContext {
  readonly source: string;
  readonly schemas: SchemaConverter;
  readonly egress: () => Egress;
  readonly credentials: Credentials;
  readonly budgets: { readonly toolBytes: number; readonly outputBytes: number; readonly responseBytes: number };
  readonly limits: Partial<Limits>;
  /** Total attempts of an operation that is safe to repeat. */
  readonly attempts: number;
  readonly timing?: Timing;
}

/** A tool and the operation it calls. */
export interface OperationTool extends Tool {
  readonly operation: Operation;
  /** The input schema with references, as the gateway enforces it. */
  inputSchema(): Schema;
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
  override: Override & { readonly values?: PresetValues },
  context: ToolContext,
): OperationTool {
  const { schemas, budgets, source } = context;
  const requirements = context.credentials.requirementsOf(operation);
  const plan = memoize((): ArgumentPlan =>
    planArguments(operation, schemas, {
      ...(override.arguments && { schemas: override.arguments }),
      ...(override.values && { preset: override.values.byArgument }),
      isCredential: (parameter) => context.credentials.fills(requirements, parameter),
    }),
  );
  const pages = isPaged(operation) && !operation.parameters.some((parameter) => parameter.name === pagesArgument);
  const input = memoize((): Schema => (pages ? withPages(plan().input) : plan().input));
  const short = memoize((): AbbreviatedSchema =>
    abbreviateSchema(input(), schemas, budgets.toolBytes - 1_500 - budgets.outputBytes),
  );
  const reply = memoize((): Schema | undefined => replySchema(operation, schemas));
  const hasObjectSchema = budgets.outputBytes >= 200 && isObjectReply(reply(), schemas);
  const output = memoize((): Schema => permissiveOutputSchema(reply() ?? {}, schemas, budgets.outputBytes));
  const completeInput = memoize(() =>
    defaultedValidator((value) => checkInput(input(), schemas, value), input(), 'required', resolver(schemas)),
  );
  const effects = effectsOf(operation, override);
  const facts = memoize(() => operationFacts(operation));
  const aliases = memoize(
    () =>
      new Map(
        plan()
          .slots.filter(({ argument, parameter, fixed }) => fixed === undefined && argument !== parameter.name)
          .map(({ argument, parameter }) => [parameter.name, argument]),
      ),
  );

  const preparedByArgs = new WeakMap<object, PrepareResult>();

  const contract: Contract<Args> = {
    get schema() {
      return short().schema;
    },
    parse(value) {
      const { value: named, misfits: violations } = completeInput()(applyAliases(value, plan(), aliases()));
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
      return operationDetails(operation);
    },
    get facts() {
      return facts();
    },
    operation,
    inputSchema: input,
    fullSchema: () => withDefinitions(toClientSchema(input()), schemas),
    isAbbreviated: () => short().isAbbreviated,
    run: (call) => run(call),
  };

  async function run(call: Call): Promise<Outcome> {
    const prepared = preparedByArgs.get(call.args) ?? prepareRequest(operation, plan(), base, call.args, schemas);
    if (!prepared.ok) return refuse('invalid_arguments', `${prepared.field.slice(1)} ${prepared.message}`);
    const { request } = prepared;
    const credentials = await context.credentials.forRequest(requirements, base.origin, call.signal);
    if (!credentials.ok) return refuse('permission_denied', `${operationLabel(operation)}: ${credentials.message}`);
    const { search, send } = exchange(request, call, {
      egress: context.egress,
      credentials: credentials.parts,
      fixedSecrets: override.values?.secrets ?? [],
      fixedHeaders: plan().slots.flatMap(({ parameter, fixed }) =>
        fixed !== undefined && parameter.in === 'header' ? [parameter.name.toLowerCase()] : [],
      ),
      accept: operation.reply?.mediaType?.includes('json') === false ? '*/*' : 'application/json, */*;q=0.5',
      attempts: effects.writes && !effects.idempotent ? 1 : context.attempts,
      ...(context.timing && { timing: context.timing }),
    });
    const response = await send(search, budgets.responseBytes);
    if (response.kind !== 'response') return toFailureOutcome(response);
    // Only if credentials were sent: otherwise a public operation could force a token request on every call.
    if (response.status === 401 && credentials.parts.secrets.length > 0) context.credentials.dropTokens();
    const replyShape = reply();
    const pageLimit = pages ? call.args[pagesArgument] : undefined;
    const responseContext = {
      name: operationLabel(operation),
      source,
      hasObjectSchema,
      ...(replyShape &&
        typeof pageLimit !== 'number' && { validate: (value: Json) => checkReply(replyShape, schemas, value) }),
    };
    const paged =
      typeof pageLimit === 'number' && response.status === 200
        ? await followPages(response, {
            operation,
            first: new URL(`${request.origin}${request.path}${search === '' ? '' : `?${search}`}`),
            pages: pageLimit,
            maxBytes: budgets.responseBytes,
            get: (next, maxBytes) => send(next.replace(/^\?/, ''), maxBytes),
          })
        : undefined;
    return toResponseOutcome(response, responseContext, paged);
  }
}

/** Computes a value once, on first use. */
function memoize<T>(make: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => (cached ??= { value: make() }).value;
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
  for (const name of names) defs[name] = toClientSchema(schemas.def(name));
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
function permissiveOutputSchema(schema: Schema, schemas: SchemaConverter, maxBytes: number): Schema {
  const { $defs: defs, ...shown } = abbreviateSchema(schema, schemas, maxBytes - 60).schema;
  return { type: 'object', anyOf: [shown, {}], ...(defs !== undefined && { $defs: defs }) };
}

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
