import type { createLocalJWKSet, CryptoKey, FlattenedJWSInput, JSONWebKeySet, JWSHeaderParameters } from 'jose';
import type { Egress } from '../net/egress-types.js';

/** Finds the key a token names, asking its issuer where it is new. */
export type KeyFinder = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>;

/** Keys could not be had; the token may be good, but nobody can tell. */
export class KeysUnavailable extends Error {}

export interface KeySetOptions {
  readonly issuer: string;
  readonly jwksUrl?: string;
  readonly egress: Pick<Egress, 'request'>;
  readonly now?: () => number;
}

const freshMs = 600_000;
/** Tokens with made-up key ids must not make us ask the issuer each time. */
const coolDownMs = 30_000;
const maxBytes = 262_144;

/** The public keys of one issuer: fetched at the first token, again when old, and at once when a token names a key that is new. */
export function keySet({ issuer, jwksUrl, egress, now = Date.now }: KeySetOptions): KeyFinder {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined;
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let address = jwksUrl;
  let fetching: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    triedAt = now();
    address ??= await discovered(issuer, egress);
    const set = await json(egress, address);
    if (!Array.isArray(set['keys'])) throw new KeysUnavailable('The key set of the issuer is not one');
    keys = (await import('jose')).createLocalJWKSet(set as unknown as JSONWebKeySet); // jose looks at each key before it uses it
    fetchedAt = now();
  };
  const refresh = (): Promise<void> => (fetching ??= load().finally(() => (fetching = undefined)));

  return async (header, token) => {
    if (keys === undefined || now() - fetchedAt > freshMs) {
      try {
        if (keys === undefined || now() - triedAt > coolDownMs) await refresh();
      } catch (error) {
        // Old keys are better than none: an issuer that is down for a while must not lock everybody out.
        if (keys === undefined)
          throw error instanceof KeysUnavailable ? error : new KeysUnavailable('The keys of the issuer cannot be read');
      }
    }
    if (keys === undefined) throw new KeysUnavailable('The keys of the issuer cannot be read');
    try {
      return await keys(header, token);
    } catch (error) {
      const { errors } = await import('jose');
      if (!(error instanceof errors.JWKSNoMatchingKey) || now() - triedAt < coolDownMs) throw error;
      await refresh();
      return keys(header, token);
    }
  };
}

/** Where an issuer says that its keys are, by the two kinds of metadata in the order MCP asks for. */
async function discovered(issuer: string, egress: Pick<Egress, 'request'>): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const place of places) {
    const found = await json(egress, place).catch(() => undefined);
    // Another issuer's document would bring another issuer's keys.
    if (found?.['issuer'] === issuer && typeof found['jwks_uri'] === 'string') return found['jwks_uri'];
  }
  throw new KeysUnavailable('The issuer tells nowhere where its keys are');
}

async function json(egress: Pick<Egress, 'request'>, url: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await egress.request({
    url,
    headers: { accept: 'application/json' },
    timeoutMs: 5_000,
    maxResponseBytes: maxBytes,
  });
  if (answer.kind !== 'response' || answer.status !== 200)
    throw new KeysUnavailable(answer.kind === 'response' ? `The issuer answered ${answer.status}` : answer.message);
  const value: unknown = JSON.parse(answer.body.toString('utf8'));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new KeysUnavailable('The issuer answered something that is no object');
  return value as Readonly<Record<string, unknown>>; // just looked at
}
