import { addressProblem, normalizeHost } from '../lib/domains.js';
import { calledAddresses } from './called-addresses.js';
import type { Config } from './schema.js';
import { secretsIn } from './secrets.js';
import { dotted } from './problem.js';

/** A problem that only shows when several keys are compared. */
export interface Conflict {
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

const builtinPolicies = ['rfc1918', 'loopback', 'local', 'public'];

/** Finds problems in a well-formed configuration that must prevent the start. */
export function findConflicts(config: Config, env: NodeJS.ProcessEnv, insecureDev: boolean): readonly Conflict[] {
  return [
    ...exposedListener(config),
    ...wildcardDomains(config, insecureDev),
    ...unknownPolicies(config),
    ...addressConflicts(config),
    ...issuerConflicts(config),
    ...unknownProfiles(config),
    ...unsetVariables(config, env),
  ];
}

/** Whether a listen address is reachable from this machine only. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);

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

function wildcardDomains({ outbound, sources }: Config, insecureDev: boolean): readonly Conflict[] {
  const lists = [
    ['outbound.allowed_domains', outbound.allowed_domains] as const,
    ...Object.entries(sources).flatMap(([id, source]) =>
      source.kind === 'http' && source.allowed_domains
        ? [[`sources.${id}.allowed_domains`, source.allowed_domains] as const]
        : [],
    ),
    ...Object.entries(sources).flatMap(([id, source]) =>
      source.kind === 'openapi' ? [[`sources.${id}.allowed_hosts`, source.allowed_hosts] as const] : [],
    ),
  ];
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

const addressConflicts = (config: Config): readonly Conflict[] =>
  calledAddresses(config).flatMap(({ path, url, domains }) => {
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

function unknownPolicies({ security, sources, tool }: Config): readonly Conflict[] {
  const known = new Set([...builtinPolicies, ...Object.keys(security.network_policies)]);
  const named = [
    ['security.default_policy', security.default_policy] as const,
    ...Object.entries(sources).map(
      ([name, one]) => [`sources.${name}.network`, one.kind === 'openapi' ? one.network : undefined] as const,
    ),
    ...Object.entries(tool.overrides).map(([name, one]) => [`tool.overrides.${name}.policy`, one.policy] as const),
  ];
  return named.flatMap(([path, policy]) =>
    policy === undefined || known.has(policy)
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
