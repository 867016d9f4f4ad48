import type { Soon } from '../../../lib/soon.js';
import type { JsonObject } from '../../../core/json.js';
import type { Issuer, Problem, AuthorizationEgress } from './metadata.js';
import { parsed } from './metadata.js';

/** A client registered at an authorization server. */
export interface Client {
  readonly id: string;
  readonly secret?: string;
}

/** A grant with its issuer, client and resource; never used for another server. */
export interface Grant {
  readonly issuer: string;
  readonly principal: string;
  readonly resource: string;
  readonly client: Client;
  readonly tokenEndpoint: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Wall-clock milliseconds. */
  readonly expiresAt: number;
  readonly scopes: readonly string[];
}

/** Stored form of a grant whose client secret is configured elsewhere. */
export const withoutSecret = (grant: Grant): Grant => ({ ...grant, client: { id: grant.client.id } });

/** Store of grants by source; shared with `toolgate login` in another process. */
export interface GrantStore {
  read(source: string): Soon<readonly Grant[]>;
  write(source: string, grants: readonly Grant[]): Soon<void>;
  /**
   * Runs work that reads and replaces the grants of a source while no other process does: a rotating refresh token that is used
   * twice revokes the whole token family.
   */
  exclusively<T>(source: string, work: () => Promise<T>): Promise<T>;
}

const maxTokenResponseBytes = 65_536;
const defaultLifeMs = 3_600_000;

/** Sends one request to a token endpoint; returns a grant or the problem. */
export async function requestToken(
  egress: AuthorizationEgress,
  form: Readonly<Record<string, string>>,
  about: Omit<Grant, 'accessToken' | 'refreshToken' | 'expiresAt'> & { readonly refreshToken?: string },
  now: () => number = Date.now,
): Promise<Grant | Problem> {
  const { client, resource, tokenEndpoint } = about;
  const basic =
    client.secret === undefined
      ? {}
      : {
          authorization: `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString('base64')}`,
        };
  const body = new URLSearchParams({
    ...form,
    resource,
    ...(client.secret === undefined && { client_id: client.id }),
  }).toString();
  const answer = await egress.request({
    url: tokenEndpoint,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...basic },
    body,
    maxResponseBytes: maxTokenResponseBytes,
    redirect: 'manual',
  });
  if (answer.kind !== 'response') return { problem: `the authorization server cannot be reached: ${answer.message}` };
  const given = parsed(answer.body) ?? {};
  if (answer.status !== 200) {
    const error = errorOf(given, answer.status);
    return { problem: `the authorization server rejected the request (${error})`, final: error === 'invalid_grant' };
  }
  const { access_token: token, token_type: type, refresh_token: refresh, expires_in: life, scope } = given;
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(token) || String(type).toLowerCase() !== 'bearer')
    return { problem: 'the authorization server returned no bearer token' };
  const { refreshToken: previous, ...rest } = about;
  const kept = typeof refresh === 'string' ? refresh : previous;
  return {
    ...rest,
    accessToken: token,
    ...(kept !== undefined && { refreshToken: kept }),
    expiresAt: now() + (typeof life === 'number' && life > 0 ? life * 1000 : defaultLifeMs),
    scopes: typeof scope === 'string' ? scope.split(' ') : about.scopes,
  };
}

const errorOf = ({ error }: JsonObject, status: number): string =>
  typeof error === 'string' && /^[\w.-]{1,64}$/.test(error) ? error : `status ${status}`;

/** Token for the client itself (client_credentials). */
export const clientCredentials = (
  egress: AuthorizationEgress,
  { issuer, tokenEndpoint }: Issuer,
  about: {
    readonly client: Client;
    readonly resource: string;
    readonly principal: string;
    readonly scopes: readonly string[];
  },
): Promise<Grant | Problem> =>
  requestToken(
    egress,
    { grant_type: 'client_credentials', ...(about.scopes.length > 0 && { scope: about.scopes.join(' ') }) },
    { ...about, issuer, tokenEndpoint },
  );

/** Refreshes a grant at its own issuer. */
export const refreshed = (egress: AuthorizationEgress, grant: Grant): Promise<Grant | Problem> =>
  grant.refreshToken === undefined
    ? Promise.resolve({ problem: 'the token has expired', final: true })
    : requestToken(egress, { grant_type: 'refresh_token', refresh_token: grant.refreshToken }, grant);
