import type { createLocalJWKSet, CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import type { Egress } from '../../net/egress/egress-types.js';

/** Finds the key of a token, fetching the JWKS of its issuer if the key id is new. */
export type KeyFinder = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** Keys could not be fetched, so the token can be neither accepted nor proven invalid. */
export class KeysUnavailable extends Error {}

/** Where the keys of an issuer come from. */
interface KeySetOptions {
  readonly issuer: string;
  readonly jwksUrl?: string;
  readonly egress: Pick<Egress, 'request'>;
  readonly now?: () => number;
}

/** Age at which keys are fetched again. */
const refreshAfterMs = 600_000;
/** Minimum interval of fetches: tokens with random key ids must not flood the issuer. */
const coolDownMs = 30_000;
/** Bound of a key set. */
const maxKeySetBytes = 262_144;

/** Public keys (JWKS) of one issuer: fetched with the first token, when stale, and when a token names an unknown key. */
export function keySet({ issuer, jwksUrl, egress, now = Date.now }: KeySetOptions): KeyFinder {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let address = jwksUrl;
  let fetching: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    triedAt = now();
    address ??= await discoverJwksUrl(issuer, egress);
    const set = await fetchJson(egress, address);
    if (!Array.isArray(set['keys'])) throw new KeysUnavailable('The issuer returned an invalid key set (JWKS)');
    keys = (await import('jose')).createLocalJWKSet(set as unknown as JSONWebKeySet); // jose validates each key before use
    fetchedAt = now();
  };
  // One fetch at a time: all waiting tokens share it.
  const refresh = (): Promise<void> => (fetching ??= load().finally(() => (fetching = undefined)));

  return async (header, token) => {
    if (keys === undefined || now() - fetchedAt > refreshAfterMs) {
      try {
        if (keys === undefined || now() - triedAt > coolDownMs) await refresh();
      } catch (error) {
        // Stale keys stay in use: a short outage of the issuer must not lock out all callers.
        if (keys === undefined)
          throw error instanceof KeysUnavailable ? error : new KeysUnavailable('Cannot fetch the keys of the issuer');
      }
    }
    if (keys === undefined) throw new KeysUnavailable('Cannot fetch the keys of the issuer');
    try {
      return await keys(header, token);
    } catch (error) {
      const { errors } = await import('jose');
      // An unknown key id means a rotation, or an attack; the cool-down bounds both.
      if (!(error instanceof errors.JWKSNoMatchingKey) || now() - triedAt < coolDownMs) throw error;
      await refresh();
      return keys(header, token);
    }
  };
}

/** Discovers the JWKS URL through OAuth and OpenID metadata, in the order of the MCP specification. */
async function discoverJwksUrl(issuer: string, egress: Pick<Egress, 'request'>): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const place of places) {
    const found = await fetchJson(egress, place).catch(() => undefined);
    // Metadata of another issuer would bring its keys (mix-up attack).
    if (found?.['issuer'] === issuer && typeof found['jwks_uri'] === 'string') return found['jwks_uri'];
  }
  throw new KeysUnavailable('The issuer publishes no jwks_uri; set jwks_url');
}

/** Fetches a JSON object. */
async function fetchJson(egress: Pick<Egress, 'request'>, url: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await egress.request({
    url,
    headers: { accept: 'application/json' },
    timeoutMs: 5_000,
    maxResponseBytes: maxKeySetBytes,
  });
  if (answer.kind !== 'response' || answer.status !== 200)
    throw new KeysUnavailable(answer.kind === 'response' ? `The issuer answered ${answer.status}` : answer.message);
  const value: unknown = JSON.parse(answer.body.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new KeysUnavailable('The issuer did not return a JSON object');
  return value as Readonly<Record<string, unknown>>; // checked above
}
