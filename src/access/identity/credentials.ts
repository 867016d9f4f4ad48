import type { Principal } from '../../core/principal.js';
import { sha256 } from '../../lib/hash.js';
import { bearer } from './bearer.js';
import type { Credential } from './bearer.js';
import type { ConsoleSession, ConsoleSessions } from './console-sessions.js';
import { isConsoleToken } from './console-sessions.js';
import type { KeyStore } from './keys.js';

/** A token in the configuration; only its hash is needed. */
export interface ConfiguredToken {
  readonly name: string;
  readonly sha256: string;
  readonly roles: readonly string[];
  readonly profile?: string;
}

/** Verifies JWT access tokens; undefined if no configured issuer claims the token. */
export interface TokenVerifier {
  judge(token: string): Promise<TokenResult> | undefined;
}

/** Result of verifying a JWT. */
export type TokenResult =
  | { readonly principal: Principal }
  | { readonly refused: 'invalid' | 'insufficient'; readonly message: string; readonly scope?: string };

export interface CredentialOptions {
  /** The gateway's own token, whose holder is its owner. */
  readonly ownerToken: string | (() => string | undefined);
  readonly tokens: readonly ConfiguredToken[];
  readonly keys: KeyStore;
  readonly issuers?: TokenVerifier;
  /** WWW-Authenticate challenge, which points OAuth clients to the issuer. */
  readonly challenge: (error?: 'invalid_token' | 'insufficient_scope', scope?: string) => string;
  /** Whether callers without a credential are accepted as anonymous. */
  readonly anonymous: boolean;
  /** Console sessions; none by default. */
  readonly sessions?: Pick<ConsoleSessions, 'find'>;
  /** Whether the issuer at which this principal logged in is still configured. */
  readonly hasIssuerOf?: (principal: Principal) => boolean;
}

/** The principal of the gateway's own token. */
export const owner: Principal = { id: 'owner', name: 'owner', kind: 'token', roles: ['admin'] };
const anonymous: Principal = { id: 'anonymous', name: 'anonymous', kind: 'anonymous', roles: ['user'] };

/** Resolves an Authorization header to a principal; no other part of a request affects identity. */
export function credentials({
  ownerToken,
  tokens,
  keys,
  issuers,
  challenge,
  anonymous: isOpen,
  sessions,
  hasIssuerOf = () => false,
}: CredentialOptions): {
  authenticate(authorization: string | undefined): Credential | Promise<Credential>;
} {
  // Lookup by hash leaks nothing through timing: an attacker cannot choose the hash without the token.
  const byHash = new Map(tokens.map((token): [string, Principal] => [token.sha256, tokenPrincipal(token)]));
  // A function reads the file again, so that a renewed token works without a restart.
  const presentToken = typeof ownerToken === 'string' ? () => ownerToken : ownerToken;
  const ownerOf = (hash: string): Principal | undefined => {
    const present = presentToken();
    // Compared as hashes, which takes the same time wherever the tokens differ (timing attack).
    return present !== undefined && sha256(present) === hash ? owner : undefined;
  };
  /** A session has the rights that its credential has now, and ends with it. */
  const sessionPrincipal = ({ credential, principal }: ConsoleSession): Principal | undefined => {
    if (credential === undefined) return hasIssuerOf(principal) ? principal : undefined;
    return ownerOf(credential) ?? byHash.get(credential) ?? keys.findByHash(credential);
  };
  const invalid: Credential = {
    refused: 'invalid',
    message: 'The token is not valid',
    challenge: challenge('invalid_token'),
  };

  return {
    authenticate(authorization) {
      const token = bearer(authorization);
      if (token === undefined) {
        // A malformed credential is refused instead of downgraded to anonymous.
        if (isOpen && authorization === undefined) return { principal: anonymous };
        return {
          refused: 'missing',
          message: 'Send Authorization: Bearer <token>; the token file is printed at start',
          challenge: challenge(),
        };
      }
      // Session tokens have a prefix, so a wrong one is not looked for elsewhere.
      if (isConsoleToken(token)) {
        const session = sessions?.find(token);
        const principal = session && sessionPrincipal(session);
        return principal === undefined ? invalid : { principal };
      }
      const hash = sha256(token);
      // Cheap lookups first; the signature of a JWT is verified last.
      const known = ownerOf(hash) ?? byHash.get(hash) ?? keys.find(token);
      if (known !== undefined) return { principal: known };
      // undefined: no issuer claims the token, so that it is simply not valid.
      const judged = issuers?.judge(token);
      if (judged === undefined) return invalid;
      return judged.then((verdict): Credential => {
        if ('principal' in verdict) return verdict;
        const { refused, message, scope } = verdict;
        return {
          refused,
          message,
          challenge: challenge(refused === 'invalid' ? 'invalid_token' : 'insufficient_scope', scope),
        };
      });
    },
  };
}

/** Principal of a configured token. */
export const tokenPrincipal = ({ name, roles, profile }: ConfiguredToken): Principal => ({
  id: `token:${name}`,
  name,
  kind: 'token',
  roles,
  ...(profile !== undefined && { profile }),
});
