import type { Principal } from '../../core/principal.js';

/** What a credential proved. */
export type Authenticated =
  | { readonly principal: Principal }
  | {
      readonly refused: 'missing' | 'invalid' | 'insufficient';
      readonly message: string;
      /** The WWW-Authenticate value. */ readonly challenge: string;
    };

/** Tells who is behind an Authorization header; the header is all it gets to see. */
export interface Authenticator {
  authenticate(authorization: string | undefined): Authenticated | Promise<Authenticated>;
}
