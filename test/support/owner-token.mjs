import { bearer } from '../../dist/access/identity/bearer.js';
import { sameSecret } from '../../dist/access/identity/token-file.js';

/** Accepts one token, the gateway's own, which authenticates its owner. */
export function ownerToken(token) {
  const owner = { id: 'owner', name: 'owner', kind: 'token', roles: ['admin'] };
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
