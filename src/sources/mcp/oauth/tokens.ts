import type { JsonObject } from '../../../core/json.js';
import type { Issuer, Problem, Way } from './metadata.js';
import { parsed } from './metadata.js';

/** A client as an authorization server knows it. */
export interface Client {
  readonly id: string;
  readonly secret?: string;
}

/** What was granted, by whom, to whom, for which server; it is used for nothing else. */
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

/** A grant as it is written down where its client's secret is kept elsewhere. */
export const withoutSecret = (grant: Grant): Grant => ({ ...grant, client: { id: grant.client.id } });

/** Where grants are kept, by source; whoever logs in elsewhere writes to the same place. */
export interface GrantStore {
  read(source: string): readonly Grant[];
  write(source: string, grants: readonly Grant[]): void;
}

const maxBytes = 65_536;
const defaultLifeMs = 3_600_000;

/** One request to a token endpoint; the answer is a grant or why there is none. */
export async function requestToken(
  way: Way,
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
  const answer = await way.request({
    url: tokenEndpoint,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...basic },
    body,
    maxResponseBytes: maxBytes,
    redirect: 'manual',
  });
  if (answer.kind !== 'response') return { problem: `the authorization server cannot be reached: ${answer.message}` };
  const given = parsed(answer.body) ?? {};
  if (answer.status !== 200) {
    const error = errorOf(given, answer.status);
    return { problem: `the authorization server refused (${error})`, final: error === 'invalid_grant' };
  }
  const { access_token: token, token_type: type, refresh_token: refresh, expires_in: life, scope } = given;
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(token) || String(type).toLowerCase() !== 'bearer')
    return { problem: 'the authorization server gave no bearer token' };
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

/** A token by the client's own right. */
export const clientCredentials = (
  way: Way,
  { issuer, tokenEndpoint }: Issuer,
  about: {
    readonly client: Client;
    readonly resource: string;
    readonly principal: string;
    readonly scopes: readonly string[];
  },
): Promise<Grant | Problem> =>
  requestToken(
    way,
    { grant_type: 'client_credentials', ...(about.scopes.length > 0 && { scope: about.scopes.join(' ') }) },
    { ...about, issuer, tokenEndpoint },
  );

/** A new token for an old grant, from the issuer that gave it. */
export const refreshed = (way: Way, grant: Grant): Promise<Grant | Problem> =>
  grant.refreshToken === undefined
    ? Promise.resolve({ problem: 'the token has expired', final: true })
    : requestToken(way, { grant_type: 'refresh_token', refresh_token: grant.refreshToken }, grant);
