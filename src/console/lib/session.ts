import { signal } from '@preact/signals';

/** A console session, kept per tab and origin; `sessionStorage` is not sent to other ports of this host, a cookie would be. */
interface ConsoleToken {
  readonly token: string;
  readonly expires: string;
  readonly principal: string;
}

const storageKey = 'toolgate.session';

function readStored(): ConsoleToken | undefined {
  // Storage is writable by extensions and older versions: every field is checked before it is used.
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    if (typeof value !== 'object' || value === null) return undefined;
    const { token, expires, principal } = value as Partial<ConsoleToken>;
    if (typeof token !== 'string' || typeof expires !== 'string' || typeof principal !== 'string') return undefined;
    return Date.parse(expires) > Date.now() ? { token, expires, principal } : undefined;
  } catch {
    return undefined;
  }
}

/** The session of this tab; undefined shows the login page. */
export const session = signal<ConsoleToken | undefined>(readStored());
/** Why the last session ended, for the login page. */
export const endReason = signal<string | undefined>(undefined);

let requests = new AbortController();
/** Aborted when the session ends: a request that is still under way would be refused. */
export const sessionSignal = (): AbortSignal => requests.signal;

function startSession(token: ConsoleToken): void {
  sessionStorage.setItem(storageKey, JSON.stringify(token));
  endReason.value = undefined;
  session.value = token;
}

export function endSession(reason?: string): void {
  // Removed first: a reload in the middle must not find the token again.
  sessionStorage.removeItem(storageKey);
  endReason.value = reason;
  session.value = undefined;
  // Aborting also closes the event stream, which would otherwise outlive the session.
  requests.abort();
  requests = new AbortController();
}

/** Ends the session in this tab first, then at the gateway. */
export async function logOut(): Promise<void> {
  const token = session.value?.token;
  endSession();
  if (token === undefined) return;
  const answer = await fetch('/console/session', {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  }).catch(() => undefined);
  // Another login finished in the meantime; its page must not show the message of this logout.
  if (session.value !== undefined) return;
  endReason.value = answer?.ok
    ? 'You have logged out'
    : 'You have logged out in this tab; the gateway did not confirm it, so the session lasts there until it expires';
}

/** Exchanges a one-time code for a session; returns the problem, if any. */
export async function logInWithCode(code: string): Promise<string | undefined> {
  const secret = sessionStorage.getItem(loginSecretKey);
  // Single use: a secret that stays could complete a later login that this tab did not begin (login CSRF).
  sessionStorage.removeItem(loginSecretKey);
  try {
    const answer = await fetch('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, ...(secret !== null && { secret }) }),
    });
    const body = (await answer.json()) as Partial<ConsoleToken> & { readonly error?: string };
    if (!answer.ok || body.token === undefined) return body.error ?? `HTTP status ${answer.status}`;
    startSession({ token: body.token, expires: body.expires ?? '', principal: body.principal ?? '' });
    return undefined;
  } catch {
    return 'The gateway cannot be reached';
  }
}

/** Secret of a login at an issuer: only the tab that began it can finish it. */
const loginSecretKey = 'toolgate.login';

/** Goes to the login page of an issuer; returns the problem, if any. */
export async function logInAtIssuer(name: string): Promise<string | undefined> {
  try {
    const secret = base64url(crypto.getRandomValues(new Uint8Array(32)));
    // Only the hash leaves the tab, as in PKCE: a leaked redirect URL is useless without the secret.
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret));
    const answer = await fetch(`/console/login/${encodeURIComponent(name)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ binding: base64url(new Uint8Array(digest)) }),
    });
    const body = (await answer.json()) as { readonly url?: string; readonly error?: string };
    if (!answer.ok || body.url === undefined) return body.error ?? `HTTP status ${answer.status}`;
    // Stored only after the gateway agreed, so that a failed attempt leaves nothing behind.
    sessionStorage.setItem(loginSecretKey, secret);
    location.assign(body.url);
    return undefined;
  } catch {
    return 'The gateway cannot be reached';
  }
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Logs in with a key: it gives a code, and the code gives the session, so the key itself is not kept. */
export async function logInWithKey(key: string): Promise<string | undefined> {
  try {
    const answer = await fetch('/console/code', { method: 'POST', headers: { authorization: `Bearer ${key}` } });
    const body = (await answer.json()) as { readonly code?: string; readonly error?: string };
    return answer.ok && body.code !== undefined ? logInWithCode(body.code) : (body.error ?? 'The key is not valid');
  } catch {
    return 'The gateway cannot be reached';
  }
}

/** The one-time code of the address, which is removed from it before anything else happens. */
export function takeCode(): string | undefined {
  const code = location.hash.slice(1);
  if (code === '') return undefined;
  // The fragment is not sent to servers, but history and screen sharing would show it.
  history.replaceState(null, '', location.pathname + location.search);
  // The shape is checked before use: any other fragment is an in-page link and not a code.
  return /^[\w-]{40,64}$/.test(code) ? code : undefined;
}
