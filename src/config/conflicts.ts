import { addressProblem, normalizeHost } from '../lib/domains.js';
import { isLoopback } from '../lib/loopback.js';
import { sectionSources, sourceKinds } from '../sources/index.js';
import type { SourceKind } from '../sources/kind.js';
import { referencesOf, type ConfigReferences } from './references.js';
import type { Config } from './schema.js';
import { secretsIn } from '../lib/secret-text.js';
import { dotted } from './problem.js';

/** A problem that only shows when several keys are compared. */
export interface Conflict {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

const builtinPolicies = ['rfc1918', 'loopback', 'local', 'public'];

/** Finds problems in a well-formed configuration that must prevent the start. */
export function findConflicts(
  config: Config,
  env: NodeJS.ProcessEnv,
  insecureDev: boolean,
  kinds: readonly SourceKind[] = sourceKinds,
): readonly Conflict[] {
  const references = referencesOf(config, kinds);
  return [
    ...exposedListener(config),
    ...reservedIds(config),
    ...wildcardDomains(references, insecureDev),
    ...unknownPolicies(config, references),
    ...addressConflicts(references),
    ...issuerConflicts(config),
    ...unknownProfiles(config),
    ...unsetVariables(config, env),
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

function exposedListener({ server, auth }: Config): readonly Conflict[] {
  const found: Conflict[] = [];
  if (server.transport === 'http' && !auth.required && !isLoopback(server.host)) {
    found.push({
      path: 'auth.required',
      message: `is false while server.host is ${server.host}`,
      hint: 'Listen on 127.0.0.1 or require a token',
    });
  }
  if (server.cors_origins.includes('*'))
    found.push({ path: 'server.cors_origins', message: 'must not contain *', hint: 'Name each origin' });
  return found;
}

function wildcardDomains({ domains: lists }: ConfigReferences, insecureDev: boolean): readonly Conflict[] {
  return lists.flatMap(([path, domains]) => {
    if (domains.includes('*') && !insecureDev)
      return [
        {
          path,
          message: 'contains *, which lets a function call any host',
          hint: 'Name the domains, or start with --insecure-dev on a disposable machine',
        },
      ];
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

function unknownPolicies({ security }: Config, { policies: named }: ConfigReferences): readonly Conflict[] {
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
    if (auth.issuers.findIndex((other) => other.name === name || other.issuer === issuer) !== index)
      found.push({ path: `${at}.name`, message: 'repeats the name or the issuer of an earlier one' });
  }
  return found;
}

const unknownProfiles = ({ auth, access }: Config): readonly Conflict[] =>
  [
    ...auth.tokens.map(({ profile }, index) => [`auth.tokens.${index}.profile`, profile] as const),
    ...auth.issuers.map(({ profile }, index) => [`auth.issuers.${index}.profile`, profile] as const),
  ].flatMap(([path, profile]) =>
    profile === undefined || Object.hasOwn(access.profiles, profile)
      ? []
      : [{ path, message: `unknown profile ${profile}` }],
  );

const unsetVariables = (config: Config, env: NodeJS.ProcessEnv): readonly Conflict[] =>
  [...secretsIn(config)].flatMap(({ path, secret }) => {
    const resolved = secret.resolve(env);
    return resolved.ok
      ? []
      : resolved.unset.map((name) => ({
          path: dotted(path),
          message: `refers to \${${name}}, which is not set`,
          hint: `Set ${name} in the environment of the gateway`,
        }));
  });
