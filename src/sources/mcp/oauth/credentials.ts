import type { Credentials } from '../channels/http-exchange.js';
import type { Problem, AuthorizationEgress } from './metadata.js';
import { challengeValue, covers, findResourceIssuer } from './metadata.js';
import type { Client, Grant, GrantStore } from './tokens.js';
import { clientCredentials, refreshed, withoutSecret } from './tokens.js';

/** What the tokens of a source are managed with. */
export interface OAuthOptions {
  readonly source: string;
  readonly url: string;
  readonly egress: AuthorizationEgress;
  readonly grants: GrantStore;
  readonly grant: 'client_credentials' | 'authorization_code';
  /** The pre-registered client, if configured. */
  readonly client?: () => Client | undefined;
  readonly scopes: readonly string[];
  /** The only trusted authorization server, if configured. */
  readonly issuer?: string;
  /** Headers in addition to the token. */
  readonly headers?: Credentials['headers'];
  readonly now?: () => number;
}

/** Tokens of one source per principal; tokens are never shared between principals. */
interface TokenKeeper {
  of(principal: string): Credentials;
}

/** Tokens are renewed this long before they expire: a request may be on its way for a while. */
const earlyMs = 30_000;

/** Value of the header for a grant. */
const bearerHeader = ({ accessToken }: Grant): string => `Bearer ${accessToken}`;

/** How often a server may demand further scopes; more would be an endless loop. */
const maxStepUps = 2;

/** The store of grants is locked or away: the call fails, and nothing is sent with an old token. */
const unusable = (error: unknown): Problem => ({
  problem: `the stored login cannot be used: ${error instanceof Error ? error.message : String(error)}`,
});

/** Refreshes tokens: concurrent requests share one refresh, and only at the issuer that granted them. */
export function tokenKeeper(options: OAuthOptions): TokenKeeper {
  const { source, url, egress, grants, scopes, now = Date.now } = options;
  const renewals = new Map<string, Promise<Grant | Problem>>();
  const wanted = new Set(scopes);
  let stepUps = 0;

  const find = async (principal: string): Promise<Grant | undefined> =>
    (await grants.read(source)).find(
      (grant) =>
        grant.principal === principal &&
        (options.issuer === undefined || grant.issuer === options.issuer) &&
        // The source may have been reconfigured to another server, which must not receive these tokens.
        covers(grant.resource, url),
    );
  // A secret of the configuration stays there and is not copied into the store.
  const isConfigured = ({ client }: Grant): boolean => options.client?.()?.id === client.id;
  /** The stored form of a grant; a configured client secret is never stored with it. */
  const written = (grant: Grant): Grant => (isConfigured(grant) ? withoutSecret(grant) : grant);
  const keep = async (grant: Grant): Promise<void> =>
    grants.write(source, [
      ...(await grants.read(source)).filter(
        (other) => other.principal !== grant.principal || other.issuer !== grant.issuer,
      ),
      written(grant),
    ]);
  const renew = (grant: Grant): Promise<Grant | Problem> => {
    const client = options.client?.();
    return refreshed(egress, client?.id === grant.client.id ? { ...grant, client } : grant);
  };
  const forget = (grant: Grant): Promise<void> =>
    grants.exclusively(source, async () =>
      grants.write(
        source,
        (await grants.read(source)).filter((other) => other.accessToken !== grant.accessToken),
      ),
    );

  /**
   * One refresh at a time, here and in other processes: concurrent use invalidates a rotating refresh token. A grant that another
   * process refreshed meanwhile is taken instead.
   */
  const once = (
    principal: string,
    stale: Grant | undefined,
    renewal: (grant: Grant | undefined) => Promise<Grant | Problem>,
  ): Promise<Grant | Problem> => {
    // One renewal per principal in this process; `exclusively` covers the other processes.
    let running = renewals.get(principal);
    if (!running) {
      running = grants
        .exclusively(source, async () => {
          const current = await find(principal);
          // Another process has renewed it while this one waited for the lock.
          if (current && current.accessToken !== stale?.accessToken && current.expiresAt - earlyMs > now())
            return current;
          const result = await renewal(current);
          if ('accessToken' in result) await keep(result);
          return result;
        })
        .catch(unusable)
        .finally(() => renewals.delete(principal));
      renewals.set(principal, running);
    }
    return running;
  };

  // A token for the gateway itself (client credentials).
  async function byRight(principal: string, challenge: string | undefined): Promise<Grant | Problem> {
    const client = options.client?.();
    if (!client) return { problem: 'oauth.client_id is not set' };
    const found = await findResourceIssuer(egress, url, challenge, options.issuer);
    if ('problem' in found) return found;
    const { resource, issuer } = found;
    return clientCredentials(egress, issuer, { client, resource: resource.resource, principal, scopes: [...wanted] });
  }

  const login = (principal: string): string =>
    `no login for this source; run toolgate login ${source}${principal === 'local' ? '' : ` --principal ${principal}`}`;

  const renewOrLogin =
    (principal: string) =>
    (grant: Grant | undefined): Promise<Grant | Problem> =>
      grant ? renew(grant) : Promise.resolve({ problem: login(principal), needsAction: true });

  async function token(principal: string): Promise<Grant | Problem> {
    let grant: Grant | undefined;
    try {
      grant = await find(principal);
    } catch (error) {
      return unusable(error);
    }
    // The usual case: a valid token, without any lock.
    if (grant && grant.expiresAt - earlyMs > now()) return grant;
    if (options.grant === 'client_credentials') return once(principal, grant, () => byRight(principal, undefined));
    return grant ? once(principal, grant, renewOrLogin(principal)) : { problem: login(principal), needsAction: true };
  }

  return {
    of: (principal) => ({
      async headers(signal) {
        const others = (await options.headers?.(signal)) ?? { headers: {} };
        if ('problem' in others) return others;
        const grant = await token(principal);
        return 'problem' in grant ? grant : { headers: { ...others.headers, authorization: bearerHeader(grant) } };
      },
      async onRejected(status, challenge, sent) {
        const grant = await find(principal).catch(() => undefined);
        // A concurrent request has already refreshed the rejected token.
        if (status === 401 && grant && sent['authorization'] !== bearerHeader(grant)) return true;
        // Insufficient scope: machines may ask for more by themselves, people have to log in again.
        if (status === 403) {
          if (
            challengeValue(challenge, 'error') !== 'insufficient_scope' ||
            options.grant !== 'client_credentials' ||
            stepUps >= maxStepUps
          )
            return false;
          stepUps += 1;
          for (const scope of (challengeValue(challenge, 'scope') ?? '').split(' '))
            if (scope !== '') wanted.add(scope);
        }
        const found = await once(
          principal,
          grant,
          options.grant === 'client_credentials' ? () => byRight(principal, challenge) : renewOrLogin(principal),
        );
        // An unreachable authorization server has not revoked the grant.
        if ('problem' in found && found.final && grant) await forget(grant);
        return 'accessToken' in found;
      },
    }),
  };
}
