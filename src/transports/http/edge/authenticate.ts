import type { Principal } from '../../../core/principal.js';

/** Result of checking a credential. */
export type AuthResult =
  | { readonly principal: Principal }
  | {
      readonly refused: 'missing' | 'invalid' | 'insufficient';
      readonly message: string;
      /** The WWW-Authenticate value. */ readonly challenge: string;
    };

/** Resolves an Authorization header to a principal. */
export interface Authenticator {
  authenticate(authorization: string | undefined): AuthResult | Promise<AuthResult>;
  /** Changes when credentials are replaced; a request that was being read meanwhile is authenticated again. */
  generation?(): number;
}
