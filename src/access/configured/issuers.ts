import type { Config } from '../../config/schema.js';
import { isLoopback } from '../../lib/loopback.js';
import type { Egress } from '../../net/egress/egress-types.js';
import { egress } from '../../net/egress/egress.js';
import { namedPolicies } from '../../net/egress/named-policies.js';
import type { Issuer } from '../identity/issuers.js';
import { keySet } from '../identity/key-sets.js';
import type { OidcClient } from '../identity/oidc-flow.js';

/** Authorization servers of a configuration, each with its own way out for its keys. */
interface ConfiguredIssuers {
  readonly all: readonly Issuer[];
  /** Issuers at which people log in to the console. */
  readonly logins: readonly OidcClient[];
  /** Closes the connections to the key servers. */
  close(): Promise<void>;
}

/** Issuers with their keys and, if they serve the console, their login. */
export function configuredIssuers({ auth, security }: Config, env: NodeJS.ProcessEnv): ConfiguredIssuers {
  const networks = namedPolicies(security);
  const ways: Egress[] = [];
  const logins: OidcClient[] = [];
  const all = auth.issuers.map((entry): Issuer => {
    const way = wayToKeys(entry, networks);
    ways.push(way);
    const issuer = toIssuer(entry, way, auth.resource);
    if (entry.console) logins.push(toOidcClient(entry.console, issuer, way, env));
    return issuer;
  });
  return {
    all,
    logins,
    async close() {
      await Promise.all(ways.map((way) => way.close()));
    },
  };
}

/** One entry of `auth.issuers`. */
type IssuerEntry = Config['auth']['issuers'][number];

/** Way to the keys of an issuer: its own hosts alone, so that a key address cannot lead elsewhere (SSRF). */
function wayToKeys(
  { name, issuer, jwks_url: jwksUrl, network, console: login }: IssuerEntry,
  networks: ReturnType<typeof namedPolicies>,
): Egress {
  const here = isLoopback(new URL(issuer).hostname);
  // A local issuer is for development; "public" would refuse its loopback address.
  const policy = networks[here && network === 'public' ? 'loopback' : network];
  if (policy === undefined) throw new Error(`auth.issuers: ${name}: unknown network policy ${network}`);
  return egress({
    networks: policy,
    // Only these hosts: a redirect or a foreign `jwks_uri` in the metadata leads nowhere.
    hosts: [...new Set([issuer, jwksUrl ?? issuer, login?.token_url ?? issuer].map((url) => new URL(url).hostname))],
    ports: 'any',
    schemes: here ? ['http', 'https'] : ['https'],
  });
}

/** Client of an issuer for the login of the console. */
function toOidcClient(
  { client_id: clientId, client_secret: secret, scopes, token_url: tokenUrl }: NonNullable<IssuerEntry['console']>,
  issuer: Issuer,
  way: Egress,
  env: NodeJS.ProcessEnv,
): OidcClient {
  const clientSecret = secret?.resolve(env);
  return {
    issuer,
    clientId,
    // `openid` is what makes the response contain an id token.
    scopes: [...new Set(['openid', ...scopes])],
    egress: way,
    ...(clientSecret?.ok === true && { clientSecret: clientSecret.value }),
    ...(tokenUrl !== undefined && { tokenUrl }),
  };
}

function toIssuer(entry: IssuerEntry, way: Egress, resource: string | undefined): Issuer {
  const { name, issuer, jwks_url: jwksUrl, audience, algorithms, scopes, roles, profile } = entry;
  const { roles_claim: rolesClaim, default_roles: defaultRoles } = entry;
  return {
    name,
    issuer,
    algorithms,
    scopes,
    roles,
    defaultRoles,
    // Without a configured audience the gateway's own address is required (confused deputy).
    audience: audience.length > 0 ? audience : [resource ?? ''],
    ...(rolesClaim !== undefined && { rolesClaim }),
    ...(profile !== undefined && { profile }),
    keys: keySet({ issuer, egress: way, ...(jwksUrl !== undefined && { jwksUrl }) }),
  };
}
