import type { Egress } from '../../../net/egress/egress-types.js';
import type { Clock } from '../../../lib/clock.js';
import { monotonic } from '../../../lib/clock.js';
import { ownField, textField } from '../document/fields.js';

/** OAuth 2 client; the token endpoint is set by the operator, since a document could name an attacker's (confused deputy). */
export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: () =>
    { readonly ok: true; readonly value: string } | { readonly ok: false; readonly unset: readonly string[] };
  /** Overrides the scopes that operations require. */
  readonly scopes?: readonly string[];
  readonly clock?: Clock;
}

/** A token, or why there is none. */
type TokenResult = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

/** Tokens of one client. */
interface TokenFetcher {
  token(scopes: readonly string[], signal: AbortSignal): Promise<TokenResult>;
  clear(): void;
}

/** A token until it must be renewed. */
interface CachedToken {
  readonly value: string;
  readonly until: number;
}

/** Tokens of different scopes; more are unusual. */
const maxCachedTokens = 64;
/** Tokens are renewed this long before they expire, so that none expires in transit. */
const renewMarginMs = 30_000;

/** Fetches and caches tokens with the client credentials grant; concurrent requests for a scope are coalesced. */
export function tokenFetcher(client: OAuthClient, egress: () => Egress): TokenFetcher {
  const { clock = monotonic } = client;
  const cache = new Map<string, CachedToken>();
  const pending = new Map<string, Promise<TokenResult>>();

  async function fetchToken(scope: string): Promise<TokenResult> {
    const secret = client.clientSecret();
    if (!secret.ok)
      return { ok: false, message: `the client secret refers to ${secret.unset.join(', ')}, which is not set` };
    // Not tied to a caller's signal: the first caller may cancel while others still wait.
    const response = await egress().request({
      url: client.tokenUrl,
      method: 'POST',
      redirect: 'manual',
      maxResponseBytes: 65_536,
      timeoutMs: 15_000,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        // Encoded before Base64, as RFC 6749 wants it for client credentials.
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(client.clientId)}:${encodeURIComponent(secret.value)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== '' && { scope }) }).toString(),
    });
    if (response.kind !== 'response')
      return { ok: false, message: `the token endpoint is unreachable: ${response.message}` };
    const body = parseJsonText(response.body.toString());
    const value = textField(body, 'access_token');
    const type = textField(body, 'token_type')?.toLowerCase() ?? 'bearer';
    // A token with other characters could split a header.
    if (response.status !== 200 || value === undefined || type !== 'bearer' || !/^[\x21-\x7e]+$/.test(value))
      return { ok: false, message: `the token endpoint returned status ${response.status} without a usable token` };
    const seconds = ownField(body, 'expires_in');
    // Without a lifetime five minutes are assumed.
    const lifeMs = (typeof seconds === 'number' && seconds > 0 ? seconds : 300) * 1000;
    if (cache.size >= maxCachedTokens) cache.clear();
    // Short-lived tokens are used for half of their life at least.
    cache.set(scope, { value, until: clock() + Math.max(lifeMs - renewMarginMs, lifeMs / 2) });
    return { ok: true, value };
  }

  return {
    async token(scopes) {
      // Sorted, so that the same scopes share one token.
      const scope = [...new Set(client.scopes ?? scopes)].toSorted().join(' ');
      const found = cache.get(scope);
      if (found && found.until > clock()) return { ok: true, value: found.value };
      let running = pending.get(scope);
      if (running === undefined) {
        running = fetchToken(scope).finally(() => pending.delete(scope));
        pending.set(scope, running);
      }
      return running;
    },
    clear: () => cache.clear(),
  };
}

/** Parsed JSON, or undefined. */
function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
