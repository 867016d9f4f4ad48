import type { Config } from '../config/schema.js';
import type { SecretText } from '../config/secrets.js';
import { secretsIn } from '../config/secrets.js';
import type { Json, JsonObject } from '../core/json.js';
import type { ToolSource } from '../core/source.js';
import { isRedactable } from './secret-values.js';
import type { OriginBreakers, Thresholds } from '../sources/http/breakers.js';
import { strictestThresholds } from '../sources/http/breakers.js';
import type {
  CallLimits,
  DeclaredEffects,
  Declaration,
  SecretValues,
  PlacedParameter,
} from '../sources/http/declarations.js';
import { httpFunctionsSource, type HttpFunctionsOptions } from '../sources/http/source.js';

type McpTool = Config['mcp_tools'][string];
type HttpSource = Extract<Config['sources'][string], { readonly kind: 'http' }>;
type Endpoint = HttpSource['tools'][string];

export interface HttpSourcesOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly breakers: OriginBreakers;
  onEvent(event: string, fields: JsonObject): void;
}

/** Sources that call over HTTP: the functions of `mcp_tools`, and each source of kind `http`. */
export function httpSourcesOf({ config, env, breakers, onEvent }: HttpSourcesOptions): readonly ToolSource[] {
  const { outbound, mcp_tools: functions, sources } = config;
  const named = Object.entries(sources).filter((entry): entry is [string, HttpSource] => entry[1].kind === 'http');
  breakers.use(
    strictestThresholds(
      thresholds(
        config,
        named.map(([, source]) => source),
      ),
    ),
  );
  const shared = (domains: readonly string[]) =>
    ({
      breakers,
      onEvent,
      allowedDomains: domains,
      // The loader accepts `*` only together with --insecure-dev.
      insecureDev: domains.includes('*'),
      limits: {
        timeoutMs: outbound.timeout * 1000,
        attempts: outbound.retries,
        maxResponseBytes: outbound.max_response_bytes,
      },
      toolLimits: (name: string) => guarding(config, name),
    }) satisfies Partial<HttpFunctionsOptions>;

  const declared = Object.entries(functions).map(([name, one]): Declaration => ({
    kind: 'function',
    name,
    url: one.url,
    functionName: one.func_name ?? name,
    category: one.category,
    ...described(one, hidden(one.headers, env)),
  }));
  return [
    ...(declared.length === 0
      ? []
      : [
          httpFunctionsSource({
            id: 'mcp_tools',
            tools: declared,
            secrets: secretsOf(functions, env),
            ...shared(outbound.allowed_domains),
          }),
        ]),
    ...named.map(([id, source]) =>
      httpFunctionsSource({
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
        ...shared(source.allowed_domains ?? outbound.allowed_domains),
      }),
    ),
  ];
}

function toEndpoint(name: string, one: Endpoint, source: HttpSource, env: NodeJS.ProcessEnv): Declaration {
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
    ...declaredLimits(source),
    ...described(one, { ...hidden(source.headers, env), ...hidden(one.headers, env) }),
  };
}

const described = (one: McpTool | Endpoint, headers: SecretValues) => ({
  description: one.description,
  headers,
  // YAML yields JSON values, and the schema has checked enum and default against the type.
  parameters: one.parameters as readonly PlacedParameter[],
  ...(one.title !== undefined && { title: one.title }),
  ...effects(one),
  ...declaredLimits(one),
});

const effects = (
  one: Pick<McpTool, 'read_only' | 'destructive' | 'idempotent' | 'idempotency_key' | 'labels'>,
): DeclaredEffects => ({
  idempotencyKey: one.idempotency_key,
  labels: one.labels,
  ...(one.read_only !== undefined && { readOnly: one.read_only }),
  ...(one.destructive !== undefined && { destructive: one.destructive }),
  ...(one.idempotent !== undefined && { idempotent: one.idempotent }),
});

const declaredLimits = (one: Pick<McpTool, 'timeout' | 'retries' | 'max_response_bytes'>): Partial<CallLimits> => ({
  ...(one.timeout !== undefined && { timeoutMs: one.timeout * 1000 }),
  ...(one.retries !== undefined && { attempts: one.retries }),
  ...(one.max_response_bytes !== undefined && { maxResponseBytes: one.max_response_bytes }),
});

function guarding({ tool, rate_limit: rate }: Config, name: string) {
  const own = tool.overrides[name];
  return {
    concurrency: own?.concurrency ?? tool.default_concurrency,
    queue: tool.queue_length,
    queueTimeoutMs: tool.queue_timeout * 1000,
    ratePerMinute: own?.rate ?? rate.requests,
    ...(own?.timeout !== undefined && { timeoutMs: own.timeout * 1000 }),
  };
}

function* thresholds(
  { outbound, mcp_tools: functions }: Config,
  sources: readonly HttpSource[],
): Generator<readonly [string, Thresholds]> {
  const addresses = [
    ...Object.values(functions).map((one) => [one.url, one.circuit_breaker] as const),
    ...sources.flatMap((source) => [
      [source.base_url, source.circuit_breaker] as const,
      ...Object.values(source.tools).map((one) => [source.base_url, one.circuit_breaker] as const),
    ]),
  ];
  for (const [address, own] of addresses) {
    if (!URL.canParse(address)) continue;
    const { failure_threshold: failures, recovery_timeout: rest } = outbound.circuit_breaker;
    yield [
      new URL(address).origin,
      { failures: own?.failure_threshold ?? failures, cooldownMs: (own?.recovery_timeout ?? rest) * 1000 },
    ];
  }
}

/** Header and query values as sent and as displayed; every variable is set, or the configuration would not have loaded. */
function hidden(texts: Readonly<Record<string, SecretText>>, env: NodeJS.ProcessEnv): SecretValues {
  return Object.fromEntries(
    Object.entries(texts).map(([name, secret]) => {
      const resolved = secret.resolve(env);
      const referring = secret.resolve(Object.fromEntries(secret.names.map((each) => [each, `$${each}`])));
      const masked =
        isRedactable(name, secret) && secret.isLiteral ? '[redacted]' : referring.ok ? referring.value : '';
      return [name, { value: resolved.ok ? resolved.value : '', masked }];
    }),
  );
}

/** Values to redact: each whole value and each variable in it, since a service may echo one without the other. */
function secretsOf(value: unknown, env: NodeJS.ProcessEnv): readonly string[] {
  return [...secretsIn(value)].flatMap(({ path, secret }) => {
    if (!isRedactable(String(path.at(-1)), secret)) return [];
    const resolved = secret.resolve(env);
    return [...(resolved.ok ? [resolved.value] : []), ...secret.names.flatMap((name) => env[name] ?? [])];
  });
}
