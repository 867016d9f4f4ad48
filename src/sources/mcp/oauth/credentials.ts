import type { Credentials } from '../http-channel.js';
import type { Problem, Way } from './metadata.js';
import { challengeValue, covers, findIssuer, findResource } from './metadata.js';
import type { Client, Grant, GrantStore } from './tokens.js';
import { clientCredentials, refreshed, withoutSecret } from './tokens.js';

export interface OAuthOptions {
  readonly source: string;
  readonly url: string;
  readonly way: Way;
  readonly grants: GrantStore;
  readonly grant: 'client_credentials' | 'authorization_code';
  /** The client, where it is known beforehand. */
  readonly client?: () => Client | undefined;
  readonly scopes: readonly string[];
  /** The only authorization server that is believed, where one is named. */
  readonly issuer?: string;
  /** Headers besides the token. */
  readonly headers?: Credentials['headers'];
  readonly now?: () => number;
}

/** Tokens of one source, by principal; nobody is ever given another's. */
export interface TokenKeeper {
  of(principal: string): Credentials;
}

const earlyMs = 30_000;

const bearer = ({ accessToken }: Grant): string => `Bearer ${accessToken}`;

const maxStepUps = 2;

/** Keeps tokens fresh: one renewal for all who wait for it, and only at the issuer that gave them. */
export function tokenKeeper(options: OAuthOptions): TokenKeeper {
  const { source, url, way, grants, scopes, now = Date.now } = options;
  const renewals = new Map<string, Promise<Grant | Problem>>();
  const wanted = new Set(scopes);
  let stepUps = 0;

  const find = (principal: string): Grant | undefined =>
    grants.read(source).find(
      (grant) =>
        grant.principal === principal &&
        (options.issuer === undefined || grant.issuer === options.issuer) &&
        // The same source may stand for another server by now, which must not be sent this one's tokens.
        covers(grant.resource, url),
    );
  const isConfigured = ({ client }: Grant): boolean => options.client?.()?.id === client.id;
  /** What is written down; the secret of a configured client stays where it is configured. */
  const written = (grant: Grant): Grant => (isConfigured(grant) ? withoutSecret(grant) : grant);
  const keep = (grant: Grant): void =>
    grants.write(source, [
      ...grants.read(source).filter((other) => other.principal !== grant.principal || other.issuer !== grant.issuer),
      written(grant),
    ]);
  const renewed = (grant: Grant): Promise<Grant | Problem> => {
    const client = options.client?.();
    return refreshed(way, client?.id === grant.client.id ? { ...grant, client } : grant);
  };
  const forget = (grant: Grant): void =>
    grants.write(
      source,
      grants.read(source).filter((other) => other.accessToken !== grant.accessToken),
    );

  /** Rotating refresh tokens are burnt by two who use one at once. */
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
    const resource = await findResource(way, url, challenge);
    if ('problem' in resource) return resource;
    const named = options.issuer ?? resource.issuers[0] ?? '';
    if (!resource.issuers.includes(named))
      return { problem: 'the server believes another authorization server than the configured one' };
    const issuer = await findIssuer(way, named);
    if ('problem' in issuer) return issuer;
    return clientCredentials(way, issuer, { client, resource: resource.resource, principal, scopes: [...wanted] });
  }

  const login = (principal: string): string =>
    `nobody has logged in; run toolgate login ${source}${principal === 'local' ? '' : ` --principal ${principal}`}`;

  async function token(principal: string): Promise<Grant | Problem> {
    const grant = find(principal);
    if (grant && grant.expiresAt - earlyMs > now()) return grant;
    if (options.grant === 'client_credentials') return once(principal, () => byRight(principal, undefined));
    return grant ? once(principal, () => renewed(grant)) : { problem: login(principal), held: true };
  }

  return {
    of: (principal) => ({
      async headers(signal) {
        const others = (await options.headers?.(signal)) ?? { headers: {} };
        if ('problem' in others) return others;
        const grant = await token(principal);
        return 'problem' in grant ? grant : { headers: { ...others.headers, authorization: bearer(grant) } };
      },
      async refused(status, challenge, sent) {
        const grant = find(principal);
        // Somebody who was refused before us has renewed it meanwhile.
        if (status === 401 && grant && sent['authorization'] !== bearer(grant)) return true;
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
              ? renewed(grant)
              : Promise.resolve({ problem: login(principal), held: true }),
        );
        // An authorization server that cannot be reached has not taken anything back.
        if ('problem' in found && found.final && grant) forget(grant);
        return 'accessToken' in found;
      },
    }),
  };
}
