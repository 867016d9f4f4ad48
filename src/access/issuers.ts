import type { JWTPayload } from 'jose';
import type { Principal } from '../core/principal.js';
import { sha256 } from '../lib/hash.js';
import { lru } from '../lib/lru.js';
import type { TokenJudge, TokenVerdict } from './credentials.js';
import type { KeyFinder } from './key-sets.js';
import { KeysUnavailable } from './key-sets.js';

/** An authorization server whose tokens are accepted, and on which terms. */
export interface Issuer {
  readonly name: string;
  readonly issuer: string;
  /** A token must be made for one of these: for this gateway and nobody else. */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly scopes: readonly string[];
  readonly rolesClaim?: string;
  readonly roles: Readonly<Record<string, string>>;
  readonly defaultRoles: readonly string[];
  readonly profile?: string;
  readonly keys: KeyFinder;
}

interface Kept {
  readonly verdict: TokenVerdict;
  readonly until: number;
}

/** A verdict is kept so long at most: afterwards the signature and the keys are looked at again. */
const keepMs = 300_000;
const mostKept = 5_000;
const toleranceSeconds = 30;
const invalid = (message: string): TokenVerdict => ({ refused: 'invalid', message });

/** Judges JWT access tokens: signature, issuer, audience, time, algorithm, scopes. The token goes no further than this. */
export function tokenJudge(issuers: readonly Issuer[], now: () => number = Date.now): TokenJudge {
  const byIssuer = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  const kept = lru<string, Kept>(mostKept);

  return {
    judge(token) {
      if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
      const issuer = byIssuer.get(claimedIssuer(token));
      if (issuer === undefined) return undefined;
      const key = sha256(token);
      const known = kept.get(key);
      if (known !== undefined && known.until > now()) return Promise.resolve(known.verdict);
      return verified(token, issuer, now()).then(({ verdict, expiresAt }) => {
        // A refusal is not kept: keys may arrive, and garbage must not push good tokens out.
        if ('principal' in verdict) kept.set(key, { verdict, until: Math.min(expiresAt, now() + keepMs) });
        return verdict;
      });
    },
  };
}

/** Who the token says made it; believed only for choosing whose keys must have signed it. */
function claimedIssuer(token: string): string {
  try {
    const { iss }: { readonly iss?: unknown } =
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) ?? {};
    return typeof iss === 'string' ? iss : '';
  } catch {
    return '';
  }
}

async function verified(
  token: string,
  issuer: Issuer,
  at: number,
): Promise<{ readonly verdict: TokenVerdict; readonly expiresAt: number }> {
  // Loaded by the first token: a gateway without issuers never needs it.
  const { errors, jwtVerify } = await import('jose');
  try {
    const { payload } = await jwtVerify(token, issuer.keys, {
      issuer: issuer.issuer,
      audience: [...issuer.audience],
      algorithms: [...issuer.algorithms],
      clockTolerance: toleranceSeconds,
      requiredClaims: ['exp', 'sub'],
      currentDate: new Date(at),
    });
    return { verdict: accepted(payload, issuer), expiresAt: (payload.exp ?? 0) * 1000 };
  } catch (error) {
    if (error instanceof KeysUnavailable) return { verdict: invalid(error.message), expiresAt: 0 };
    if (error instanceof errors.JWTExpired) return { verdict: invalid('The token has expired'), expiresAt: 0 };
    if (error instanceof errors.JWTClaimValidationFailed)
      return { verdict: invalid(`The claim ${error.claim} of the token does not fit this gateway`), expiresAt: 0 };
    if (error instanceof errors.JOSEError) return { verdict: invalid('The token is not valid'), expiresAt: 0 };
    throw error;
  }
}

function accepted(payload: JWTPayload, issuer: Issuer): TokenVerdict {
  const sub: unknown = payload.sub;
  // The subject becomes part of an id that logs, rules and the audit hold: nothing that could break out of it. A list of one
  // would pass for its item wherever it is written as text.
  if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(sub))
    return invalid('The subject of the token cannot be used as a name');
  const scopes = scopesOf(payload);
  if (!issuer.scopes.every((scope) => scopes.includes(scope))) {
    return {
      refused: 'insufficient',
      message: `The token lacks a scope; it needs ${issuer.scopes.join(' ')}`,
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

const words = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? value.split(' ').filter((word) => word !== '')
    : Array.isArray(value)
      ? value.filter((word): word is string => typeof word === 'string')
      : [];

const scopesOf = (payload: JWTPayload): readonly string[] => [...words(payload['scope']), ...words(payload['scp'])];

/** Only listed values give a role: a claim named `admin` in somebody's directory is not ours to believe. */
function rolesOf(payload: JWTPayload, { rolesClaim, roles, defaultRoles }: Issuer): readonly string[] {
  const given = rolesClaim === undefined || !Object.hasOwn(payload, rolesClaim) ? [] : words(payload[rolesClaim]);
  return [
    ...new Set([
      ...defaultRoles,
      ...given.flatMap((value) => (Object.hasOwn(roles, value) ? [roles[value] ?? ''] : [])),
    ]),
  ];
}
