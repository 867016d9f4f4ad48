import { createHash } from 'node:crypto';
import type { Config } from '../../config/schema.js';
import type { ConsoleLogin } from '../../core/console-login.js';
import type { Principal } from '../../core/principal.js';
import { sha256 } from '../../lib/hash.js';
import { isLoopback } from '../../lib/loopback.js';
import { bearer } from '../identity/bearer.js';
import { consoleCodes } from '../identity/console-codes.js';
import type { ConsoleSession, ConsoleSessions, SessionRequest } from '../identity/console-sessions.js';
import { isConsoleToken } from '../identity/console-sessions.js';

/** Whether the console is served: as configured, else on loopback, or where people can log in with a credential of their own. */
export function servesConsole({ server, auth }: Config, hasKeys: () => boolean): boolean {
  if (server.console !== undefined) return server.console;
  return isLoopback(server.host) || auth.issuers.length > 0 || auth.tokens.length > 0 || hasKeys();
}

/** What the login works with. */
interface ConsoleLoginOptions {
  readonly sessions: ConsoleSessions;
  /** Records that a session was opened or ended. */
  readonly onChange: (action: 'console_login' | 'console_logout', session: ConsoleSession, by: Principal) => void;
}

/** A login that also issues codes for people who logged in elsewhere. */
interface ConsoleSessionsDesk extends ConsoleLogin {
  /** A code for a session of this principal, whose credential stays with its issuer. */
  codeFor(principal: Principal, binding: string): { readonly code: string } | undefined;
}

/** Codes and sessions behind the login routes. */
export function consoleLogin({ sessions, onChange }: ConsoleLoginOptions): ConsoleSessionsDesk {
  const codes = consoleCodes();
  /** A session ends with the credential that opened it; one opened from another session, with that one's credential. */
  const requestOf = (principal: Principal, token: string): SessionRequest | undefined => {
    if (!isConsoleToken(token)) {
      // A key or token: the session ends when the credential is revoked, which is found by its hash.
      if (principal.kind !== 'jwt') return { principal, credential: sha256(token) };
      return { principal, expiresBy: expiryOf(token) };
    }
    const opened = sessions.find(token);
    // A session cannot issue codes after it ended.
    if (opened === undefined) return undefined;
    const { credential, expires } = opened;
    return { principal, ...(credential !== undefined && { credential }), expiresBy: Date.parse(expires) };
  };
  return {
    issueCode(principal, authorization) {
      const request = requestOf(principal, bearer(authorization) ?? '');
      return request && codes.issue(request);
    },
    codeFor: (principal, binding) => codes.issue({ principal, binding }),
    openSession(code, secret) {
      // Consumed also if the binding is wrong below: a stolen code gets one attempt.
      const request = codes.redeem(code);
      if (request === undefined) return undefined;
      // A code of an issuer's login works only in the tab that began it: a link of an attacker must not log in a victim as the attacker.
      if (request.binding !== undefined && request.binding !== tabBinding(secret ?? '')) return undefined;
      const { token, session } = sessions.open(request);
      onChange('console_login', session, request.principal);
      return { token, expires: session.expires, principal: request.principal };
    },
    closeSession(authorization, principal) {
      const session = sessions.find(bearer(authorization) ?? '');
      if (session === undefined) return false;
      onChange('console_logout', session, principal);
      // Recorded before the revocation, while the principal is still known.
      return sessions.revoke(session.id);
    },
  };
}

/** Hash of the tab's secret, so that the code store never holds the secret itself. */
const tabBinding = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Expiry of a JWT that was verified before; a session must not outlive a short-lived access token. */
function expiryOf(token: string): number {
  try {
    const { exp }: { readonly exp?: unknown } =
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) ?? {};
    return typeof exp === 'number' ? exp * 1000 : 0;
  } catch {
    return 0;
  }
}
