import type { Principal } from '../core/principal.js';
import { sha256 } from '../lib/hash.js';
import { bearer } from './bearer.js';
import type { Credential } from './bearer.js';
import type { KeyFile } from './keys.js';

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

export type TokenResult =
  | { readonly principal: Principal }
  | { readonly refused: 'invalid' | 'insufficient'; readonly message: string; readonly scope?: string };

export interface CredentialOptions {
  /** The gateway's own token, whose holder is its owner. */
  readonly ownerToken: string | (() => string | undefined);
  readonly tokens: readonly ConfiguredToken[];
  readonly keys: KeyFile;
  readonly issuers?: TokenVerifier;
  /** WWW-Authenticate challenge, which points OAuth clients to the issuer. */
  readonly challenge: (error?: 'invalid_token' | 'insufficient_scope', scope?: string) => string;
  /** Whether callers without a credential are accepted as anonymous. */
  readonly anonymous: boolean;
}

export const owner: Principal = { id: 'owner', name: 'owner', kind: 'token', roles: ['admin'] };
export const anonymous: Principal = { id: 'anonymous', name: 'anonymous', kind: 'anonymous', roles: ['user'] };

/** Resolves an Authorization header to a principal; no other part of a request affects identity. */
export function credentials({ ownerToken, tokens, keys, issuers, challenge, anonymous: isOpen }: CredentialOptions): {
  authenticate(authorization: string | undefined): Credential | Promise<Credential>;
} {
  // Lookup by hash leaks nothing through timing: an attacker cannot choose the hash without the token.
  const byHash = new Map(tokens.map((token): [string, Principal] => [token.sha256, tokenPrincipal(token)]));
  const presentToken = typeof ownerToken === 'string' ? () => ownerToken : ownerToken;
  const ownerOf = (hash: string): Principal | undefined => {
    const present = presentToken();
    return present !== undefined && sha256(present) === hash ? owner : undefined;
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
      const hash = sha256(token);
      const known = ownerOf(hash) ?? byHash.get(hash) ?? keys.find(token);
      if (known !== undefined) return { principal: known };
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
