import type { JWTPayload } from 'jose';
import type { Principal } from '../../core/principal.js';
import { sha256 } from '../../lib/hash.js';
import { lru } from '../../lib/lru.js';
import type { TokenVerifier, TokenResult } from './credentials.js';
import type { KeyFinder } from './key-sets.js';
import { KeysUnavailable } from './key-sets.js';

/** An authorization server whose tokens are accepted, and on which terms. */
export interface Issuer {
  readonly name: string;
  readonly issuer: string;
  /** Accepted audiences: a token for another service must not work here (confused deputy). */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly scopes: readonly string[];
  readonly rolesClaim?: string;
  readonly roles: Readonly<Record<string, string>>;
  readonly defaultRoles: readonly string[];
  readonly profile?: string;
  readonly keys: KeyFinder;
}

/** A verified token, until it expires or must be verified again. */
interface CachedResult {
  readonly verdict: TokenResult;
  readonly until: number;
}

/** Maximum age of a cached result, after which signature and keys are checked again. */
const cacheMs = 300_000;
/** Bound of the cache; the least recently used results are evicted. */
const maxCachedResults = 5_000;
/** Clocks of issuer and gateway may differ by this much. */
const clockToleranceSeconds = 30;
/** A rejection with its reason for the client. */
const invalidToken = (message: string): TokenResult => ({ refused: 'invalid', message });

/** Verifies JWT access tokens: signature, issuer, audience, expiry, algorithm and scopes. Tokens are never forwarded (token passthrough). */
export function tokenVerifier(issuers: readonly Issuer[], now: () => number = Date.now): TokenVerifier {
  const byIssuer = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  const cache = lru<string, CachedResult>(maxCachedResults);

  return {
    judge(token) {
      // Three Base64url parts, or it is no JWT and another kind of credential.
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
      const issuer = byIssuer.get(claimedIssuer(token));
      if (issuer === undefined) return undefined;
      // The cache holds hashes, so that a memory dump contains no usable tokens.
      const key = sha256(token);
      const known = cache.get(key);
      if (known !== undefined && known.until > now()) return Promise.resolve(known.verdict);
      return verifyToken(token, issuer, now()).then(({ verdict, expiresAt }) => {
        // Rejections are not cached: keys may rotate, and invalid tokens must not evict valid ones.
        if ('principal' in verdict) cache.set(key, { verdict, until: Math.min(expiresAt, now() + cacheMs) });
        return verdict;
      });
    },
  };
}

/** Unverified issuer claim, used only to select the keys that must have signed the token. */
function claimedIssuer(token: string): string {
  try {
    const { iss }: { readonly iss?: unknown } =
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) ?? {};
    return typeof iss === 'string' ? iss : '';
  } catch {
    return '';
  }
}

/** Verifies one token; failures of the issuer are results, bugs are thrown. */
async function verifyToken(
  token: string,
  issuer: Issuer,
  at: number,
): Promise<{ readonly verdict: TokenResult; readonly expiresAt: number }> {
  // Loaded with the first token: a gateway without issuers never needs it.
  const { errors, jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: issuer.issuer,
      audience: [...issuer.audience],
      // A fixed list: a token must not choose its algorithm (`none`, or HMAC with the public key).
      algorithms: [...issuer.algorithms],
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(at),
    });
    return { verdict: toTokenResult(payload, issuer), expiresAt: (payload.exp ?? 0) * 1000 };
  } catch (error) {
    if (error instanceof KeysUnavailable) return { verdict: invalidToken(error.message), expiresAt: 0 };
    if (error instanceof errors.JWTExpired) return { verdict: invalidToken('The token has expired'), expiresAt: 0 };
    if (error instanceof errors.JWTClaimValidationFailed)
      return { verdict: invalidToken(`The token claim ${error.claim} is not valid for this gateway`), expiresAt: 0 };
    if (error instanceof errors.JOSEError) return { verdict: invalidToken('The token is not valid'), expiresAt: 0 };
    throw error;
  }
}

/**
 * Principal of an id token that the issuer gave to the console: for this client, with the nonce of this login (replay). Undefined if it
 * is not valid. It is verified although it came over TLS, so that a compromised token address cannot name principals.
 */
export async function idTokenPrincipal(
  token: string,
  issuer: Issuer,
  clientId: string,
  nonce: string,
  at: number,
): Promise<Principal | undefined> {
  const { jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: issuer.issuer,
      audience: clientId,
      algorithms: [...issuer.algorithms],
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp', 'sub', 'iat'],
      currentDate: new Date(at),
    });
    if (payload['nonce'] !== nonce) return undefined;
    // With several audiences the token must have been issued to this client.
    if (Array.isArray(payload.aud) && payload.aud.length > 1 && payload['azp'] !== clientId) return undefined;
    // Required scopes are those of access tokens; an id token has none.
    const result = toTokenResult(payload, { ...issuer, scopes: [] });
    return 'principal' in result ? result.principal : undefined;
  } catch {
    return undefined;
  }
}

/** Principal of verified claims, or why they do not suffice. */
function toTokenResult(payload: JWTPayload, issuer: Issuer): TokenResult {
  const sub: unknown = payload.sub;
  // The subject becomes part of an id in logs, rules and the audit, so characters that could forge another id are rejected. A
  // list with one item would turn into that item wherever it is converted to text.
  if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(sub))
    return invalidToken('The token subject cannot be used as a principal id');
  const scopes = scopesOf(payload);
  if (!issuer.scopes.every((scope) => scopes.includes(scope))) {
    return {
      refused: 'insufficient',
      message: `The token lacks a required scope; it needs ${issuer.scopes.join(' ')}`,
      scope: issuer.scopes.join(' '),
    };
  }
  const principal: Principal = {
    id: `jwt:${issuer.name}:${sub}`,
    name: sub,
    kind: 'jwt',
    roles: rolesOf(payload, issuer),
    scopes,
    ...(issuer.profile !== undefined && { profile: issuer.profile }),
  };
  return { principal };
}

/** Values of a claim: OAuth writes scopes as one text, some issuers as a list. */
const claimValues = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? value.split(' ').filter((word) => word !== '')
    : Array.isArray(value)
      ? value.filter((word): word is string => typeof word === 'string')
      : [];

/** Scopes of a token; `scp` is the spelling of Entra ID and Okta. */
const scopesOf = (payload: JWTPayload): readonly string[] => [
  ...claimValues(payload['scope']),
  ...claimValues(payload['scp']),
];

/** Roles by the configured mapping only: a group named `admin` in a directory must not grant the role (privilege escalation). */
function rolesOf(payload: JWTPayload, { rolesClaim, roles, defaultRoles }: Issuer): readonly string[] {
  const given = rolesClaim === undefined || !Object.hasOwn(payload, rolesClaim) ? [] : claimValues(payload[rolesClaim]);
  return [
    ...new Set([
      ...defaultRoles,
      ...given.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value] ?? ''] : [])),
    ]),
  ];
}
