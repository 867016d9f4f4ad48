import { isLoopback } from '../../lib/loopback.js';
import type { SecretText } from '../../lib/text/secret-text.js';
import { egress } from '../../net/egress/egress.js';
import type { Egress } from '../../net/egress/egress-types.js';
import { namedPolicies, type NamedNetworks } from '../../net/egress/named-policies.js';
import type { NetworkPolicy } from '../../net/egress/network-policy.js';
import type { SourceContext } from '../kind.js';
import type { OpenChannel } from './channels/channel.js';
import type { Credentials } from './channels/http-exchange.js';
import { remoteChannel } from './channels/remote-channel.js';
import type { McpConfig } from './config.js';
import { tokenKeeper } from './oauth/credentials.js';
import { grantFiles } from './oauth/grant-files.js';
import type { Client } from './oauth/tokens.js';

/** Channel to a remote server, with its credentials. */
export function remoteOf(
  id: string,
  url: string,
  config: McpConfig,
  { env, grants, grantStore, settings: { networks } }: SourceContext<'networks'>,
): OpenChannel {
  const headers = headersOf(config, env);
  const keeper =
    config.oauth &&
    tokenKeeper({
      source: id,
      url,
      headers,
      egress: authorizationEgress(url, config, networks),
      grants: grantStore ?? grantFiles(grants),
      grant: config.oauth.grant,
      scopes: config.oauth.scopes,
      client: () => clientOf(config, env),
      ...(config.oauth.issuer !== undefined && { issuer: config.oauth.issuer }),
    });
  // One token for all callers, as the entry states explicitly.
  const everyone = config.oauth?.grant === 'client_credentials' || config.oauth?.shared === true;
  return remoteChannel({
    url,
    transport: config.transport,
    egress: serverEgress(url, config, networks),
    // An owner is a principal id, followed by a session id if sessions are separate.
    credentials: (owner) => keeper?.of(everyone ? 'local' : (owner.split('\n')[0] ?? '')) ?? { headers },
  });
}

/** Network policy of a remote server; without one, loopback for local URLs and public for others. */
function policyFor(url: string, { network_policy: named }: McpConfig, networks: NamedNetworks): NetworkPolicy {
  const policy = namedPolicies(networks)[named ?? (isLoopback(new URL(url).hostname) ? 'loopback' : 'public')];
  if (policy === undefined) throw new Error(`unknown network policy ${named ?? 'public'}`);
  return policy;
}

/** Egress limited to this server. */
function serverEgress(url: string, config: McpConfig, networks: NamedNetworks): Egress {
  const { hostname, port, protocol } = new URL(url);
  return egress({
    networks: policyFor(url, config, networks),
    // Brackets belong to the URL, not to the address.
    hosts: [hostname.replaceAll(/^\[|\]$/g, '')],
    ports: [port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)],
    schemes: [protocol === 'https:' ? 'https' : 'http'],
    // Event streams hold their connection, hence a few more than concurrent calls.
    connectionsPerHost: Math.min(256, config.concurrency + 8),
  });
}

/** Egress to authorization servers. The untrusted server chooses them, so only its own networks are allowed (SSRF). */
export function authorizationEgress(url: string, config: McpConfig, networks: NamedNetworks): Egress {
  const local = isLoopback(new URL(url).hostname);
  return egress({
    networks: policyFor(url, config, networks),
    schemes: local ? ['http', 'https'] : ['https'],
    // Authorization servers listen on 443; other ports would allow scanning a network (SSRF).
    ports: local ? 'any' : [443],
    timeoutMs: 15_000,
  });
}

/** OAuth client of the configuration, with its secret resolved. */
export function clientOf({ oauth }: McpConfig, env: NodeJS.ProcessEnv): Client | undefined {
  if (oauth?.client_id === undefined) return undefined;
  const secret = oauth.client_secret?.resolve(env);
  return { id: oauth.client_id, ...(secret?.ok === true && { secret: secret.value }) };
}

/** Resolves the configured headers when they are sent. */
const headersOf =
  ({ headers }: McpConfig, env: NodeJS.ProcessEnv): Credentials['headers'] =>
  () => {
    const values: Record<string, string> = {};
    const missing: string[] = [];
    for (const [name, text] of Object.entries<SecretText>(headers)) {
      const resolved = text.resolve(env);
      if (resolved.ok) values[name.toLowerCase()] = resolved.value;
      else missing.push(...resolved.unset);
    }
    return Promise.resolve(
      missing.length > 0 ? { problem: `environment variable not set: ${missing.join(', ')}` } : { headers: values },
    );
  };
