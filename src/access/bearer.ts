import type { Principal } from '../core/principal.js';
import { sameSecret } from './token-file.js';

/** Result of checking an Authorization header. */
export type Credential =
  | { readonly principal: Principal }
  | { readonly refused: 'missing' | 'invalid' | 'insufficient'; readonly message: string; readonly challenge: string };

/** Accepts one token, the gateway's own, which authenticates its owner. */
export function ownerToken(token: string): { authenticate(authorization: string | undefined): Credential } {
  const owner: Principal = { id: 'owner', name: 'owner', kind: 'token', roles: ['admin'] };
  return {
    authenticate(authorization) {
      const given = bearer(authorization);
      if (given === undefined) {
        return {
          refused: 'missing',
          message: 'Send Authorization: Bearer <token>; the token file is printed at start',
          challenge: 'Bearer realm="toolgate"',
        };
      }
      if (!sameSecret(given, token))
        return {
          refused: 'invalid',
          message: 'The token is not valid',
          challenge: 'Bearer realm="toolgate", error="invalid_token"',
        };
      return { principal: owner };
    },
  };
}

/** Returns the token of a Bearer header, or undefined for anything else. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w~+/.-]{1,8192}=*)$/i.exec(authorization ?? '')?.[1];
}
