import { addressProblem, normalizeHost } from '../lib/text/domains.js';
import { isLoopback } from '../lib/loopback.js';
import { sectionSources, sourceKinds } from '../sources/index.js';
import type { SourceKind } from '../sources/kind.js';
import { referencesOf, type ConfigReferences } from './references.js';
import type { Config } from './schema.js';
import { isMetadataHost } from '../lib/text/metadata-networks.js';
import { storedReference } from '../lib/text/secret-references.js';
import { secretsIn } from '../lib/text/secret-text.js';
import { dotted } from './problem.js';

/** A problem that only shows when several keys are compared. */
export interface Conflict {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** Network policies that exist without being declared. */
const builtinPolicies = ['rfc1918', 'loopback', 'local', 'public'];

/** Finds problems in a well-formed configuration that must prevent the start. */
export function findConflicts(
  config: Config,
  env: NodeJS.ProcessEnv,
  insecureDev: boolean,
  kinds: readonly SourceKind[] = sourceKinds,
  /** Why stored references have no value. */
  storedProblems: ReadonlyMap<string, string> = new Map(),
): readonly Conflict[] {
  // Collected once: several checks need the same references, and kinds compute them.
  const references = referencesOf(config, kinds);
  return [
    ...exposedListener(config),
    ...reservedIds(config),
    ...metadataConflicts(config, references),
    ...wildcardDomains(references, insecureDev),
    ...unknownPolicies(config, references),
    ...addressConflicts(references),
    ...issuerConflicts(config),
    ...webhookConflicts(config, env),
    ...unknownProfiles(config),
    ...clusterConflicts(config, env, references),
    ...unsetReferences(config, env, storedProblems),
  ];
}

/** Ids name sources in rules, pins and health checks, so an entry must not take the id of a section. */
const reservedIds = ({ sources }: Config): readonly Conflict[] =>
  sectionSources
    .filter(({ id }) => Object.hasOwn(sources, id))
    .map(({ id }) => ({
      path: `sources.${id}`,
      message: `has the id of the section ${id}`,
      hint: 'Choose another id',
    }));

/** Listeners that would be open to a network or to any web page. */
function exposedListener({ server, auth }: Config): readonly Conflict[] {
  const found: Conflict[] = [];
  // An open gateway on a network address would run tools for everyone who reaches the port.
  if (server.transport === 'http' && !auth.required && !isLoopback(server.host)) {
    found.push({
      path: 'auth.required',
      message: `is false while server.host is ${server.host}`,
      hint: 'Listen on 127.0.0.1 or require a token',
    });
  }
  // With `*` any web page could call tools through the browser of a user.
  if (server.cors_origins.includes('*'))
    found.push({ path: 'server.cors_origins', message: 'must not contain *', hint: 'Name each origin' });
  return found;
}

/** Allow-lists with a wildcard, or with entries that can never match. */
function wildcardDomains({ domains: lists }: ConfigReferences, insecureDev: boolean): readonly Conflict[] {
  return lists.flatMap(([path, domains]) => {
    // `*` would make a function an open proxy into the internal network (SSRF).
    if (domains.includes('*') && !insecureDev)
      return [
        {
          path,
          message: 'contains *, which lets a function call any host',
          hint: 'Name the domains, or start with --insecure-dev on a disposable machine',
        },
      ];
    // A scheme, port or path in the list would never match, and so silently deny.
    const odd = domains.find((domain) => domain !== '*' && normalizeHost(domain.replace(/^\*?\./, '')) === undefined);
    return odd === undefined
      ? []
      : [
          {
            path,
            message: `contains ${JSON.stringify(odd.slice(0, 100))}, which is not a host name or an address`,
            hint: 'Write hosts without scheme, port or path',
          },
        ];
  });
}

/** A metadata service hands out the credentials of the machine, so that opening it takes a separate key. */
const metadataConflicts = ({ outbound }: Config, { domains: lists }: ConfigReferences): readonly Conflict[] =>
  lists.flatMap(([path, domains]) =>
    domains.flatMap((domain) => {
      if (!isMetadataHost(domain)) return [];
      return outbound.metadata_addresses.includes(domain)
        ? []
        : [
            {
              path,
              message: `contains ${domain}, a cloud metadata address, which hands out credentials of this machine`,
              hint: `Remove it; if a function must read it, also add it to outbound.metadata_addresses`,
            },
          ];
    }),
  );

/** URLs of sources that their allow-lists or the rules about arguments forbid. */
const addressConflicts = ({ addresses }: ConfigReferences): readonly Conflict[] =>
  addresses.flatMap(({ path, url, domains }) => {
    // Whether `*` is allowed at all is reported once, by wildcardDomains.
    const message = addressProblem(url, domains, true);
    if (message === undefined) return [];
    return [
      {
        path,
        message,
        ...(message.startsWith('MCP URL host')
          ? { hint: 'Add the host to outbound.allowed_domains' }
          : message.includes('argument')
            ? { hint: 'Use a fixed host and take only path or query from arguments' }
            : {}),
      },
    ];
  });

/** Network policies that are named and do not exist: falling back to another one could widen access. */
function unknownPolicies({ security }: Config, { policies: named }: ConfigReferences): readonly Conflict[] {
  // Names are compared exactly: a similar name must never widen network access.
  const known = new Set([...builtinPolicies, ...Object.keys(security.network_policies)]);
  return named.flatMap(([path, policy]) =>
    known.has(policy)
      ? []
      : [
          {
            path,
            message: `unknown network policy ${policy}`,
            hint: `Known policies: ${[...known].join(', ')}`,
          },
        ],
  );
}

/** Tokens must be issued for this gateway (confused deputy), and signing keys must be fetched over TLS. */
function issuerConflicts({ auth }: Config): readonly Conflict[] {
  const found: Conflict[] = [];
  // Every issuer on its own: one lax issuer opens the gateway for all of its tokens.
  for (const [index, { issuer, jwks_url: keys, audience, name }] of auth.issuers.entries()) {
    const at = `auth.issuers.${index}`;
    if (audience.length === 0 && auth.resource === undefined)
      found.push({
        path: `${at}.audience`,
        message: 'is empty while auth.resource is absent, so tokens issued for other services would be accepted',
        hint: 'Set auth.resource to the address of the MCP endpoint',
      });
    for (const [key, url] of [
      ['issuer', issuer],
      ['jwks_url', keys],
    ] as const) {
      if (url !== undefined && url.startsWith('http:') && !isLoopback(new URL(url).hostname))
        found.push({
          path: `${at}.${key}`,
          message: 'is plain http',
          hint: 'Use https; keys fetched over http can be replaced by an attacker',
        });
    }
    // A second issuer with the same name could never be chosen, or would take over the principals of the first.
    if (auth.issuers.findIndex((other) => other.name === name || other.issuer === issuer) !== index)
      found.push({ path: `${at}.name`, message: 'repeats the name or the issuer of an earlier one' });
  }
  return found;
}

/** Profiles that a credential names and the configuration does not have: the credential would see nothing. */
const unknownProfiles = ({ auth, access }: Config): readonly Conflict[] =>
  [
    ...auth.tokens.map(({ profile }, index) => [`auth.tokens.${index}.profile`, profile] as const),
    ...auth.issuers.map(({ profile }, index) => [`auth.issuers.${index}.profile`, profile] as const),
  ].flatMap(([path, profile]) =>
    profile === undefined || Object.hasOwn(access.profiles, profile)
      ? []
      : [{ path, message: `unknown profile ${profile}` }],
  );

/** References to variables and stored secrets that have no value, with the key that refers to them. */
const unsetReferences = (
  config: Config,
  env: NodeJS.ProcessEnv,
  problems: ReadonlyMap<string, string>,
): readonly Conflict[] =>
  [...secretsIn(config)].flatMap(({ path, secret }) => {
    const resolved = secret.resolve(env);
    return resolved.ok
      ? []
      : resolved.unset.map((name) => ({ path: dotted(path), ...describeUnset(name, problems.get(name)) }));
  });

/** Why a reference has no value, and what to do. */
function describeUnset(reference: string, problem: string | undefined): Pick<Conflict, 'message' | 'hint'> {
  const stored = storedReference(reference);
  if (stored === undefined)
    return {
      message: `refers to \${${reference}}, which is not set`,
      hint: `Set ${reference} in the environment of the gateway`,
    };
  return {
    message: `refers to \${${reference}}: ${problem ?? 'it has no value'}`,
    hint: stored.kind === 'file' ? 'Check the path and its permissions' : `Run toolgate secret set ${stored.name}`,
  };
}

/** Characters of the cluster secret: below this it could be guessed offline from a captured message. */
const minSecretChars = 32;

/** Half a cluster would be several gateways that look like one. */
function clusterConflicts(
  { cluster, server }: Config,
  env: NodeJS.ProcessEnv,
  { peers }: ConfigReferences,
): readonly Conflict[] {
  if (cluster === undefined) return [];
  const found: Conflict[] = (['secret', 'postgres', 'valkey'] as const)
    .filter((key) => cluster[key] === undefined)
    .map((key) => ({
      path: `cluster.${key}`,
      message: 'is missing',
      hint: 'A cluster needs `secret`, `postgres` and `valkey`; remove `cluster` to run a single gateway',
    }));
  for (const key of ['secret', 'previous_secret'] as const) {
    const value = cluster[key]?.resolve(env);
    if (value?.ok === true && value.value.length < minSecretChars)
      found.push({
        path: `cluster.${key}`,
        message: `has fewer than ${minSecretChars} characters`,
        hint: 'Create one with `openssl rand -base64 48`, and give the same one to every replica',
      });
  }
  if (server.transport !== 'http')
    found.push({
      path: 'cluster',
      message: 'needs server.transport http',
      hint: 'Over stdio every client starts its own gateway',
    });
  if (
    cluster.peer !== undefined &&
    cluster.peer.advertise === undefined &&
    /^(?:0\.0\.0\.0|\[::\]):/.test(cluster.peer.listen)
  )
    found.push({
      path: 'cluster.peer.advertise',
      message: 'is missing: peer.listen names every address of this machine, and other replicas need one of them',
      hint: 'Set it to the URL of this replica on the internal network, such as http://10.0.0.5:7070',
    });
  if (cluster.peer === undefined)
    for (const path of peers)
      found.push({
        path,
        message: 'needs cluster.peer: replicas must reach the one that runs the server',
        hint: 'Set cluster.peer.listen to an address of the internal network',
      });
  // The stream of HTTP+SSE lives in one replica, while each message is a separate request.
  if (server.legacy_sse && !cluster.sticky)
    found.push({
      path: 'server.legacy_sse',
      message: 'does not work behind a balancer that may choose another replica for each request',
      hint: 'Set it to false, or make the balancer sticky and set cluster.sticky',
    });
  return found;
}

/** Characters of the webhook's signing secret. */
const shortestWebhookSecret = 16;

/** A webhook whose deliveries would all be refused, or whose signature could be guessed. */
function webhookConflicts({ policy, security }: Config, env: NodeJS.ProcessEnv): readonly Conflict[] {
  const { webhook } = policy.confirmation;
  if (webhook === undefined) return [];
  const path = 'policy.confirmation.webhook';
  const { protocol, hostname } = new URL(webhook.url);
  const secret = webhook.secret.resolve(env);
  const { network_policy: named } = webhook;
  return [
    ...(protocol === 'https:' || isLoopback(hostname)
      ? []
      : [{ path: `${path}.url`, message: 'must use https: requests contain arguments of calls' }]),
    ...(named === undefined || builtinPolicies.includes(named) || Object.hasOwn(security.network_policies, named)
      ? []
      : [{ path: `${path}.network_policy`, message: `unknown network policy ${named}` }]),
    ...(secret.ok && secret.value.length < shortestWebhookSecret
      ? [{ path: `${path}.secret`, message: `must have at least ${shortestWebhookSecret} characters` }]
      : []),
  ];
}
