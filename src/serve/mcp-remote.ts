import { isLoopback } from '../config/checks.js';
import type { Config } from '../config/schema.js';
import type { SecretText } from '../config/secrets.js';
import { egress } from '../net/egress.js';
import type { Egress } from '../net/egress-types.js';
import type { NetworkPolicy } from '../net/policies.js';
import type { OpenChannel } from '../sources/mcp/channel.js';
import type { Credentials } from '../sources/mcp/http-channel.js';
import { tokenKeeper } from '../sources/mcp/oauth/credentials.js';
import type { Client } from '../sources/mcp/oauth/tokens.js';
import { remoteChannel } from '../sources/mcp/remote.js';
import { grantFiles } from './grant-files.js';
import type { McpConfig, McpSourcesOptions } from './mcp-sources.js';
import { policiesOf } from './policies.js';

/** The way to a remote server and who we are to it. */
export function remoteOf(
  id: string,
  url: string,
  config: McpConfig,
  { config: whole, env, grants }: McpSourcesOptions,
): OpenChannel {
  const headers = headersOf(config, env);
  const keeper =
    config.oauth &&
    tokenKeeper({
      source: id,
      url,
      headers,
      way: authorizationEgress(url, config, whole),
      grants: grantFiles(grants),
      grant: config.oauth.grant,
      scopes: config.oauth.scopes,
      client: () => clientOf(config, env),
      ...(config.oauth.issuer !== undefined && { issuer: config.oauth.issuer }),
    });
  const everyone = config.oauth?.grant === 'client_credentials' || config.oauth?.shared === true;
  return remoteChannel({
    url,
    transport: config.transport,
    egress: serverEgress(url, config, whole),
    // An owner is a principal, with a session after it where sessions are kept apart.
    credentials: (owner) => keeper?.of(everyone ? 'local' : (owner.split('\n')[0] ?? '')) ?? { headers },
  });
}

function networksFor(url: string, { network_policy: named }: McpConfig, config: Config): NetworkPolicy {
  const networks = policiesOf(config)[named ?? (isLoopback(new URL(url).hostname) ? 'loopback' : 'public')];
  if (networks === undefined) throw new Error(`the network policy ${named ?? 'public'} is not configured`);
  return networks;
}

/** A way out to this one server and nowhere else. */
function serverEgress(url: string, config: McpConfig, whole: Config): Egress {
  const { hostname, port, protocol } = new URL(url);
  return egress({
    networks: networksFor(url, config, whole),
    hosts: [hostname.replaceAll(/^\[|\]$/g, '')],
    ports: [port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)],
    schemes: [protocol === 'https:' ? 'https' : 'http'],
    connectionsPerHost: Math.min(256, config.concurrency + 8),
  });
}

/** A way to authorization servers: a stranger names them, so only the networks of the server itself are open. */
export function authorizationEgress(url: string, config: McpConfig, whole: Config): Egress {
  const local = isLoopback(new URL(url).hostname);
  return egress({
    networks: networksFor(url, config, whole),
    schemes: local ? ['http', 'https'] : ['https'],
    ports: local ? 'any' : [443],
    timeoutMs: 15_000,
  });
}

/** The client that the configuration names, its secret resolved now. */
export function clientOf({ oauth }: McpConfig, env: NodeJS.ProcessEnv): Client | undefined {
  if (oauth?.client_id === undefined) return undefined;
  const secret = oauth.client_secret?.resolve(env);
  return { id: oauth.client_id, ...(secret?.ok === true && { secret: secret.value }) };
}

/** The configured headers, resolved at the moment they are sent. */
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
      missing.length > 0 ? { problem: `needs ${missing.join(', ')}, which is not set` } : { headers: values },
    );
  };
