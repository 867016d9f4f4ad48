import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from '../../core/principal.js';
import type { Egress } from '../../net/egress/egress-types.js';
import { idTokenPrincipal, type Issuer } from './issuers.js';

/** An issuer at which people log in to the console. */
export interface OidcClient {
  readonly issuer: Issuer;
  readonly clientId: string;
  /** Absent for a public client: PKCE alone proves who began the login. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  /** Replaces the discovered address; needed if it is on another host than the issuer. */
  readonly tokenUrl?: string;
  readonly egress: Pick<Egress, 'request'>;
}

/** Why a login did not succeed; shown by the login page in its own words. */
type OidcProblem = 'unknown_issuer' | 'unavailable' | 'expired' | 'denied' | 'invalid' | 'busy';

/** Logins at issuers: authorization code with PKCE. The tokens of the issuer never reach the browser. */
interface OidcFlows {
  /** Names of the issuers that people can choose. */
  names(): readonly string[];
  /** Address of the issuer's login page. `binding` is the hash of a secret of the browser tab that must finish the login. */
  begin(name: string, redirectUri: string, binding: string): Promise<{ readonly url: string } | OidcProblem>;
  /** Consumes the state; returns who logged in and the binding of the tab. */
  finish(
    answer: URLSearchParams,
  ): Promise<{ readonly principal: Principal; readonly binding: string } | { readonly problem: OidcProblem }>;
}

/** A login between its start and the return from the issuer. */
interface PendingLogin {
  readonly name: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly binding: string;
  readonly expiresAt: number;
}

/** A person may take this long. */
const lifetimeMs = 300_000;
/** Logins under way; more are refused. */
const maxPending = 1_000;
/** Bound of a response of the issuer. */
const maxMetadataBytes = 262_144;
const timeoutMs = 10_000;
/** 256 bits. */
const random = (): string => randomBytes(32).toString('base64url');
/** PKCE challenge of a verifier (RFC 7636). */
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Logins that are under way, in memory: at most five minutes each, and each state works once. */
export function oidcFlows(clients: () => readonly OidcClient[], now: () => number = Date.now): OidcFlows {
  const pending = new Map<string, PendingLogin>();
  const clientOf = (name: string): OidcClient | undefined => clients().find(({ issuer }) => issuer.name === name);
  const evictExpired = (): void => {
    for (const [state, { expiresAt }] of pending) if (expiresAt <= now()) pending.delete(state);
  };
  return {
    names: () => clients().map(({ issuer }) => issuer.name),
    async begin(name, redirectUri, binding) {
      const client = clientOf(name);
      if (client === undefined) return 'unknown_issuer';
      evictExpired();
      // Bounded: the route needs no credential.
      if (pending.size >= maxPending) return 'busy';
      const metadata = await discover(client);
      const endpoint = metadata?.['authorization_endpoint'];
      if (typeof endpoint !== 'string' || !URL.canParse(endpoint)) return 'unavailable';
      const [state, nonce, verifier] = [random(), random(), random()];
      pending.set(state, { name, nonce, verifier, redirectUri, binding, expiresAt: now() + lifetimeMs });
      const url = new URL(endpoint);
      // The address is opened by a browser: another scheme could run a script there.
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'unavailable';
      for (const [key, value] of Object.entries({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: redirectUri,
        scope: client.scopes.join(' '),
        state,
        nonce,
        code_challenge: challengeOf(verifier),
        code_challenge_method: 'S256',
      }))
        url.searchParams.set(key, value);
      return { url: url.href };
    },
    async finish(answer) {
      evictExpired();
      const state = answer.get('state') ?? '';
      const login = pending.get(state);
      // Removed before anything else, so that a state works once.
      pending.delete(state);
      const client = login && clientOf(login.name);
      if (login === undefined || client === undefined) return { problem: 'expired' };
      // An answer of another issuer could carry a code that an attacker wants to be redeemed here (mix-up attack, RFC 9207).
      const iss = answer.get('iss');
      if (iss !== null && iss !== client.issuer.issuer) return { problem: 'invalid' };
      const code = answer.get('code');
      if (code === null) return { problem: 'denied' };
      const idToken = await redeem(client, login, code);
      if (idToken === undefined) return { problem: 'unavailable' };
      const principal = await idTokenPrincipal(idToken, client.issuer, client.clientId, login.nonce, now());
      return principal === undefined ? { problem: 'invalid' } : { principal, binding: login.binding };
    },
  };
}

/** A document of an issuer. */
type Metadata = Readonly<Record<string, unknown>>;

/** Metadata of an issuer; undefined if it cannot be read. */
async function discover({ issuer: { issuer }, egress }: OidcClient): Promise<Metadata | undefined> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  for (const place of [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]) {
    const answer = await egress.request({
      url: place,
      headers: { accept: 'application/json' },
      timeoutMs,
      maxResponseBytes: maxMetadataBytes,
    });
    const found = answer.kind === 'response' && answer.status === 200 ? parseObject(answer.body) : undefined;
    // Metadata of another issuer would send people to its login page (mix-up attack).
    if (found?.['issuer'] === issuer) return found;
  }
  return undefined;
}

/** Exchanges the code for an id token; undefined if the issuer refuses it. */
async function redeem(
  client: OidcClient,
  { verifier, redirectUri }: PendingLogin,
  code: string,
): Promise<string | undefined> {
  const url = client.tokenUrl ?? (await discover(client))?.['token_endpoint'];
  if (typeof url !== 'string') return undefined;
  const { clientId, clientSecret } = client;
  const answer = await client.egress.request({
    url,
    method: 'POST',
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(clientSecret !== undefined && {
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`,
      }),
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...(clientSecret === undefined && { client_id: clientId }),
    }).toString(),
    timeoutMs,
    maxResponseBytes: maxMetadataBytes,
  });
  const body = answer.kind === 'response' && answer.status === 200 ? parseObject(answer.body) : undefined;
  return typeof body?.['id_token'] === 'string' ? body['id_token'] : undefined;
}

/** A JSON object; undefined for anything else. */
function parseObject(body: Buffer): Metadata | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Metadata) : undefined;
  } catch {
    return undefined;
  }
}
