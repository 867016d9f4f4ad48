import type { Credentials } from '../channels/http-channel.js';
import type { Problem, AuthorizationEgress } from './metadata.js';
import { challengeValue, covers, findIssuer, findResource } from './metadata.js';
import type { Client, Grant, GrantStore } from './tokens.js';
import { clientCredentials, refreshed, withoutSecret } from './tokens.js';

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

const earlyMs = 30_000;

const bearerHeader = ({ accessToken }: Grant): string => `Bearer ${accessToken}`;

const maxStepUps = 2;

/** Refreshes tokens: concurrent requests share one refresh, and only at the issuer that granted them. */
export function tokenKeeper(options: OAuthOptions): TokenKeeper {
  const { source, url, egress, grants, scopes, now = Date.now } = options;
  const renewals = new Map<string, Promise<Grant | Problem>>();
  const wanted = new Set(scopes);
  let stepUps = 0;

  const find = (principal: string): Grant | undefined =>
    grants.read(source).find(
      (grant) =>
        grant.principal === principal &&
        (options.issuer === undefined || grant.issuer === options.issuer) &&
        // The source may have been reconfigured to another server, which must not receive these tokens.
        covers(grant.resource, url),
    );
  const isConfigured = ({ client }: Grant): boolean => options.client?.()?.id === client.id;
  /** The stored form of a grant; a configured client secret is never stored with it. */
  const written = (grant: Grant): Grant => (isConfigured(grant) ? withoutSecret(grant) : grant);
  const keep = (grant: Grant): void =>
    grants.write(source, [
      ...grants.read(source).filter((other) => other.principal !== grant.principal || other.issuer !== grant.issuer),
      written(grant),
    ]);
  const renew = (grant: Grant): Promise<Grant | Problem> => {
    const client = options.client?.();
    return refreshed(egress, client?.id === grant.client.id ? { ...grant, client } : grant);
  };
  const forget = (grant: Grant): void =>
    grants.write(
      source,
      grants.read(source).filter((other) => other.accessToken !== grant.accessToken),
    );

  /** One refresh at a time: concurrent use invalidates a rotating refresh token. */
  const once = (principal: string, renew: () => Promise<Grant | Problem>): Promise<Grant | Problem> => {
    let running = renewals.get(principal);
    if (!running) {
      running = renew()
        .then((result) => {
          if ('accessToken' in result) keep(result);
          return result;
        })
        .finally(() => renewals.delete(principal));
      renewals.set(principal, running);
    }
    return running;
  };

  async function byRight(principal: string, challenge: string | undefined): Promise<Grant | Problem> {
    const client = options.client?.();
    if (!client) return { problem: 'oauth.client_id is not set' };
    const resource = await findResource(egress, url, challenge);
    if ('problem' in resource) return resource;
    const named = options.issuer ?? resource.issuers[0] ?? '';
    if (!resource.issuers.includes(named))
      return { problem: 'the server names another authorization server than oauth.issuer' };
    const issuer = await findIssuer(egress, named);
    if ('problem' in issuer) return issuer;
    return clientCredentials(egress, issuer, { client, resource: resource.resource, principal, scopes: [...wanted] });
  }

  const login = (principal: string): string =>
    `no login for this source; run toolgate login ${source}${principal === 'local' ? '' : ` --principal ${principal}`}`;

  async function token(principal: string): Promise<Grant | Problem> {
    const grant = find(principal);
    if (grant && grant.expiresAt - earlyMs > now()) return grant;
    if (options.grant === 'client_credentials') return once(principal, () => byRight(principal, undefined));
    return grant ? once(principal, () => renew(grant)) : { problem: login(principal), needsAction: true };
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
        const grant = find(principal);
        // A concurrent request has already refreshed the rejected token.
        if (status === 401 && grant && sent['authorization'] !== bearerHeader(grant)) return true;
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
        const found = await once(principal, () =>
          options.grant === 'client_credentials'
            ? byRight(principal, challenge)
            : grant
              ? renew(grant)
              : Promise.resolve({ problem: login(principal), needsAction: true }),
        );
        // An unreachable authorization server has not revoked the grant.
        if ('problem' in found && found.final && grant) forget(grant);
        return 'accessToken' in found;
      },
    }),
  };
}
