import type { Principal } from './principal.js';

/** Login of the console: a credential gives a one-time code, the code gives a session token. */
export interface ConsoleLogin {
  /** Undefined if too many codes are pending. */
  issueCode(
    principal: Principal,
    authorization: string | undefined,
  ): { readonly code: string; readonly expiresAt: number } | undefined;
  /** Consumes a code; undefined if it is unknown, used or expired. */
  openSession(
    code: string,
    /** Secret of the tab that began a login at an issuer. */
    secret: string | undefined,
  ): { readonly token: string; readonly expires: string; readonly principal: Principal } | undefined;
  /** Ends the session of this token; false if the credential is not a console token. */
  closeSession(authorization: string | undefined, principal: Principal): boolean;
}
