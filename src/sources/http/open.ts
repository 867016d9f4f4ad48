import type { Json } from '../../core/json.js';
import type { ToolSource } from '../../core/source.js';
import { isRedactable } from '../../hostile-text/redactable.js';
import { secretsIn, type SecretText } from '../../lib/text/secret-text.js';
import type { SourceContext } from '../kind.js';
import type { SourceSettings } from '../settings.js';
import { strictestThresholds, type Thresholds } from './breakers.js';
import type { HttpConfig } from './config.js';
import type { CallLimits, DeclaredEffects, Declaration, SecretValues, PlacedParameter } from './declarations.js';
import type { FunctionTools } from './functions-config.js';
import { httpFunctionsSource, type HttpFunctionsOptions } from './source.js';

/** One function of `mcp_tools`. */
type McpTool = FunctionTools[string];
/** One endpoint of an entry. */
type Endpoint = HttpConfig['tools'][string];
/** Services and settings that this kind reads. */
type HttpContext = SourceContext<'outbound' | 'tool'>;

/** Opens the source of the functions in `mcp_tools`. */
export function openFunctions(context: SourceContext<'functions' | 'outbound' | 'tool'>): ToolSource {
  const { env, settings } = context;
  const tools = Object.entries(settings.functions);
  return open(
    context,
    tools.map(([, one]) => [one.url, one.circuit_breaker]),
    {
      id: 'mcp_tools',
      tools: tools.map(([name, one]): Declaration => ({
        kind: 'function',
        name,
        url: one.url,
        functionName: one.func_name ?? name,
        category: one.category,
        ...described(one, hidden(one.headers, env)),
      })),
      secrets: secretsOf(settings.functions, env),
      allowedDomains: settings.outbound.allowed_domains,
    },
  );
}

/** Opens the source of one `http` entry. */
export function openHttp(id: string, source: HttpConfig, context: HttpContext): ToolSource {
  const { env, settings } = context;
  return open(
    context,
    // Endpoints of one origin share a breaker; the strictest of their thresholds holds.
    [source, ...Object.values(source.tools)].map((one) => [source.base_url, one.circuit_breaker]),
    {
      id,
      prefix: source.prefix === 'source',
      tools: Object.entries(source.tools).map(([name, one]) => toEndpoint(name, one, source, env)),
      secrets: secretsOf(source, env),
      ...(source.discover && {
        discover: {
          url: source.base_url,
          category: id,
          headers: hidden(source.headers, env),
          ...effects(source),
          ...declaredLimits(source),
        },
      }),
      pollMs: source.resource_interval * 1000,
      allowedDomains: source.allowed_domains ?? settings.outbound.allowed_domains,
    },
  );
}

/** Builds the source with the limits and breakers of the configuration; its thresholds count until it is closed. */
function open(
  { origins, onEvent, settings }: HttpContext,
  addresses: readonly (readonly [url: string, breaker: McpTool['circuit_breaker']])[],
  own: Omit<HttpFunctionsOptions, 'limits'>,
): ToolSource {
  const { outbound } = settings;
  // Counted while the source is open: a removed source must not keep its strict thresholds alive.
  const release = origins.use(strictestThresholds(thresholds(outbound, addresses)), own.id);
  const source = httpFunctionsSource({
    ...own,
    breakers: origins,
    onEvent,
    // The loader accepts `*` only together with --insecure-dev.
    insecureDev: own.allowedDomains.includes('*'),
    metadataAddresses: outbound.metadata_addresses,
    limits: {
      timeoutMs: outbound.timeout * 1000,
      attempts: outbound.retries,
      maxResponseBytes: outbound.max_response_bytes,
    },
    timeouts: Object.fromEntries(
      Object.entries(settings.tool.overrides).map(([name, { timeout }]) => [
        name,
        timeout === undefined ? undefined : timeout * 1000,
      ]),
    ),
  });
  return {
    ...source,
    async close() {
      // First: calls that still drain should be judged by the remaining sources' settings.
      release();
      await source.close?.();
    },
  };
}

/** An endpoint of the configuration in the form of the source; settings of the entry apply where it has none. */
function toEndpoint(name: string, one: Endpoint, source: HttpConfig, env: NodeJS.ProcessEnv): Declaration {
  return {
    kind: 'endpoint',
    name,
    method: one.method,
    baseUrl: source.base_url,
    path: one.path,
    query: hidden(one.query, env),
    bodyType: one.body_type,
    resource: one.resource,
    // YAML yields JSON values, and the schema does not transform them.
    ...(one.body !== undefined && { body: one.body as Json }),
    ...(one.select !== undefined && { select: one.select }),
    ...effects(source),
    ...declaredLimits(source),
    ...described(one, { ...hidden(source.headers, env), ...hidden(one.headers, env) }),
    // Labels of the source hold for each of its tools: a rule about them must not miss a tool with further labels.
    labels: [...new Set([...source.labels, ...one.labels])],
    idempotencyKey: source.idempotency_key || one.idempotency_key,
  };
}

/** Fields that functions and endpoints share. */
const described = (one: McpTool | Endpoint, headers: SecretValues) => ({
  description: one.description,
  headers,
  // YAML yields JSON values, and the schema has checked enum and default against the type.
  parameters: one.parameters as readonly PlacedParameter[],
  ...(one.title !== undefined && { title: one.title }),
  ...effects(one),
  ...declaredLimits(one),
});

/** Declared effects without absent ones, so that defaults of the entry are not overwritten by undefined. */
const effects = (
  one: Pick<McpTool, 'read_only' | 'destructive' | 'idempotent' | 'idempotency_key' | 'labels'>,
): DeclaredEffects => ({
  idempotencyKey: one.idempotency_key,
  labels: one.labels,
  ...(one.read_only !== undefined && { readOnly: one.read_only }),
  ...(one.destructive !== undefined && { destructive: one.destructive }),
  ...(one.idempotent !== undefined && { idempotent: one.idempotent }),
});

/** Declared limits in the units of the sender. */
const declaredLimits = (one: Pick<McpTool, 'timeout' | 'retries' | 'max_response_bytes'>): Partial<CallLimits> => ({
  ...(one.timeout !== undefined && { timeoutMs: one.timeout * 1000 }),
  ...(one.retries !== undefined && { attempts: one.retries }),
  ...(one.max_response_bytes !== undefined && { maxResponseBytes: one.max_response_bytes }),
});

/** Breaker thresholds by origin; unusable URLs are reported elsewhere. */
function* thresholds(
  { circuit_breaker: shared }: SourceSettings['outbound'],
  addresses: readonly (readonly [url: string, breaker: McpTool['circuit_breaker']])[],
): Generator<readonly [string, Thresholds]> {
  for (const [address, own] of addresses) {
    if (!URL.canParse(address)) continue;
    yield [
      new URL(address).origin,
      {
        failures: own?.failure_threshold ?? shared.failure_threshold,
        cooldownMs: (own?.recovery_timeout ?? shared.recovery_timeout) * 1000,
      },
    ];
  }
}

/** Header and query values as sent and as displayed; every variable is set, or the configuration would not have loaded. */
function hidden(texts: Readonly<Record<string, SecretText>>, env: NodeJS.ProcessEnv): SecretValues {
  return Object.fromEntries(
    Object.entries(texts).map(([name, secret]) => {
      const resolved = secret.resolve(env);
      const masked = isRedactable(name, secret) && secret.isLiteral ? '[redacted]' : secret.describe();
      return [name, { value: resolved.ok ? resolved.value : '', masked }];
    }),
  );
}

/** Values to redact: each whole value and each variable in it, since a service may echo one without the other. */
function secretsOf(value: unknown, env: NodeJS.ProcessEnv): readonly string[] {
  return [...secretsIn(value)].flatMap(({ path, secret }) => {
    if (!isRedactable(String(path.at(-1)), secret)) return [];
    const resolved = secret.resolve(env);
    return [...(resolved.ok ? [resolved.value] : []), ...secret.values(env)];
  });
}
