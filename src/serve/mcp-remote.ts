import { isLoopback } from '../config/conflicts.js';
import type { Config } from '../config/schema.js';
import type { SecretText } from '../config/secrets.js';
import { egress } from '../net/egress.js';
import type { Egress } from '../net/egress-types.js';
import type { NetworkPolicy } from '../net/network-policy.js';
import type { OpenChannel } from '../sources/mcp/channels/channel.js';
import type { Credentials } from '../sources/mcp/channels/http-channel.js';
import { tokenKeeper } from '../sources/mcp/oauth/credentials.js';
import type { Client } from '../sources/mcp/oauth/tokens.js';
import { remoteChannel } from '../sources/mcp/channels/remote-channel.js';
import { grantFiles } from '../sources/mcp/oauth/grant-files.js';
import type { McpSourcesOptions } from './mcp-sources.js';
import type { McpConfig } from '../admission/source-config.js';
import { policiesOf } from './network-policies.js';

/** Channel to a remote server, with its credentials. */
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
      egress: authorizationEgress(url, config, whole),
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
    // An owner is a principal id, followed by a session id if sessions are separate.
    credentials: (owner) => keeper?.of(everyone ? 'local' : (owner.split('\n')[0] ?? '')) ?? { headers },
  });
}

function networksFor(url: string, { network_policy: named }: McpConfig, config: Config): NetworkPolicy {
  const networks = policiesOf(config)[named ?? (isLoopback(new URL(url).hostname) ? 'loopback' : 'public')];
  if (networks === undefined) throw new Error(`unknown network policy ${named ?? 'public'}`);
  return networks;
}

/** Egress limited to this server. */
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

/** Egress to authorization servers. The untrusted server chooses them, so only its own networks are allowed (SSRF). */
export function authorizationEgress(url: string, config: McpConfig, whole: Config): Egress {
  const local = isLoopback(new URL(url).hostname);
  return egress({
    networks: networksFor(url, config, whole),
    schemes: local ? ['http', 'https'] : ['https'],
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
