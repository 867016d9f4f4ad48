import type { Principal } from '../core/principal.js';
import { sha256 } from '../lib/hash.js';
import { bearer } from './bearer.js';
import type { Credential } from './bearer.js';
import type { KeyFile } from './keys.js';

/** A caller whose token stands in the configuration; only its hash is needed. */
export interface ListedToken {
  readonly name: string;
  readonly sha256: string;
  readonly roles: readonly string[];
  readonly profile?: string;
}

/** Judges tokens that issuers signed; undefined where a token is none of theirs. */
export interface TokenJudge {
  judge(token: string): Promise<TokenVerdict> | undefined;
}

export type TokenVerdict =
  | { readonly principal: Principal }
  | { readonly refused: 'invalid' | 'insufficient'; readonly message: string; readonly scope?: string };

export interface CredentialOptions {
  /** The gateway's own token, whose holder is its owner. */
  readonly ownerToken: string;
  readonly tokens: readonly ListedToken[];
  readonly keys: KeyFile;
  readonly issuers?: TokenJudge;
  /** What a caller without a credential is told, and where OAuth clients find who makes tokens. */
  readonly challenge: (error?: 'invalid_token' | 'insufficient_scope', scope?: string) => string;
  /** Whether a caller may come without any credential, as nobody in particular. */
  readonly anonymous: boolean;
}

export const owner: Principal = { id: 'owner', name: 'owner', kind: 'token', roles: ['admin'] };
export const anonymous: Principal = { id: 'anonymous', name: 'anonymous', kind: 'anonymous', roles: ['user'] };

/** Tells who is behind an Authorization header; nothing else of a request says who somebody is. */
export function credentials({ ownerToken, tokens, keys, issuers, challenge, anonymous: isOpen }: CredentialOptions): {
  authenticate(authorization: string | undefined): Credential | Promise<Credential>;
} {
  // Looking a hash up gives no clue about the token: who can choose the hash knows the token already.
  const byHash = new Map<string, Principal>([
    [sha256(ownerToken), owner],
    ...tokens.map((token): [string, Principal] => [token.sha256, listedPrincipal(token)]),
  ]);
  const invalid: Credential = {
    refused: 'invalid',
    message: 'The token is not valid',
    challenge: challenge('invalid_token'),
  };

  return {
    authenticate(authorization) {
      const token = bearer(authorization);
      if (token === undefined) {
        // A header that is no bearer token is somebody who wanted to be known, so it is never taken for nobody.
        if (isOpen && authorization === undefined) return { principal: anonymous };
        return {
          refused: 'missing',
          message: 'Send Authorization: Bearer <token>; the token file is printed at start',
          challenge: challenge(),
        };
      }
      const known = byHash.get(sha256(token)) ?? keys.find(token);
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

/** Who the holder of a token of the configuration is. */
export const listedPrincipal = ({ name, roles, profile }: ListedToken): Principal => ({
  id: `token:${name}`,
  name,
  kind: 'token',
  roles,
  ...(profile !== undefined && { profile }),
});
