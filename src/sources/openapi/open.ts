import { resolve } from 'node:path';
import type { ToolSource } from '../../core/source.js';
import type { SecretText } from '../../lib/text/secret-text.js';
import { egress } from '../../net/egress/egress.js';
import { egressProblems } from '../../net/egress/egress-rules.js';
import { namedPolicies } from '../../net/egress/named-policies.js';
import type { SourceContext } from '../kind.js';
import { preparation } from '../preparation.js';
import type { OpenApiConfig } from './config.js';
import type { Credential, Secret } from './request/credentials.js';
import { openApiSource } from './source.js';

/** Opens the source of one `openapi` entry. */
export function openOpenApi(
  id: string,
  config: OpenApiConfig,
  { base, env, settings, onEvent }: SourceContext<'networks' | 'outbound'>,
): ToolSource {
  const networks = namedPolicies(settings.networks)[config.network];
  if (networks === undefined) throw new Error(`sources.${id}.network: unknown network policy ${config.network}`);
  // The loader accepts `*` only together with --insecure-dev.
  const insecureDev = config.allowed_hosts.includes('*');
  // Wrong hosts are reported at the start and not with the first call.
  const problems = egressProblems({ networks, hosts: config.allowed_hosts, insecureDev });
  if (problems.length > 0) throw new Error(`sources.${id}: ${problems.join('; ')}`);
  const isRemote = /^https?:\/\//i.test(config.document);
  return openApiSource({
    id,
    preparation: preparation(id, onEvent),
    document: isRemote ? config.document : resolve(base, config.document),
    ...(config.base_url !== undefined && { baseUrl: config.base_url }),
    ...(config.prefix !== undefined && { prefix: config.prefix }),
    ...(config.overlay !== undefined && { overlay: resolve(base, config.overlay) }),
    filter: { include: selector(config.include), exclude: selector(config.exclude) },
    credentials: new Map(Object.entries(config.auth).map(([name, one]) => [name, credential(one, env)])),
    allowExternalRefs: config.allow_external_refs,
    env,
    attempts: config.retries ?? settings.outbound.retries,
    describeAlways: config.describe === 'always',
    maxDocumentBytes: config.max_document_bytes,
    budgets: {
      toolBytes: config.max_tool_bytes,
      listBytes: config.max_list_bytes,
      responseBytes: config.max_response_bytes,
    },
    limits: {
      timeoutMs: config.timeout * 1000,
      maxTimeoutMs: Math.max(120_000, config.timeout * 1000),
    },
    ...(config.refresh !== undefined && { refreshMs: config.refresh * 1000 }),
    // Only the origins in use: a document cannot make the gateway call elsewhere (SSRF).
    openEgress(origins) {
      const urls = origins.map((origin) => new URL(origin));
      return egress({
        networks,
        insecureDev,
        hosts: config.allowed_hosts.length > 0 ? config.allowed_hosts : urls.map((url) => url.hostname),
        ports:
          config.ports.length > 0
            ? config.ports
            : [
                ...new Set(
                  urls.map((url) => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port))),
                ),
              ],
        // For documents; a call passes the timeout that the deadline guard granted.
        timeoutMs: config.timeout * 1000,
        maxResponseBytes: Math.max(config.max_response_bytes, config.max_document_bytes),
      });
    },
  });
}

/** Selection in the names of the source. */
const selector = (one: OpenApiConfig['include']) => ({
  tags: one.tags,
  paths: one.paths,
  methods: one.methods,
  operationIds: one.operation_ids,
});

/** A credential whose value is resolved at each use, so that a renewed secret takes effect. */
function credential(one: OpenApiConfig['auth'][string], env: NodeJS.ProcessEnv): Credential {
  // Resolved late: the closure keeps no secret in memory.
  const late =
    (secret: SecretText): Secret =>
    () =>
      secret.resolve(env);
  const { always } = one;
  if ('external' in one) return { kind: 'external', always };
  if ('token' in one) return { kind: 'bearer', token: late(one.token), always };
  if ('api_key' in one)
    return {
      kind: 'apiKey',
      value: late(one.api_key),
      always,
      ...(one.in !== undefined && { in: one.in }),
      ...(one.name !== undefined && { name: one.name }),
    };
  if ('password' in one) return { kind: 'basic', username: one.username, password: late(one.password), always };
  return {
    kind: 'oauth2',
    clientId: one.client_id,
    clientSecret: late(one.client_secret),
    tokenUrl: one.token_url,
    always,
    ...(one.scopes !== undefined && { scopes: one.scopes }),
  };
}
