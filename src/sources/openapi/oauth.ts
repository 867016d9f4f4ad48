import type { Egress } from '../../net/egress-types.js';
import type { Clock } from '../../lib/clock.js';
import { monotonic } from '../../lib/clock.js';
import { own, textOf } from './values.js';

/** A client of an OAuth 2 token endpoint; the endpoint comes from the operator, since a document could name anybody's. */
export interface OAuthClient {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: () =>
    { readonly ok: true; readonly value: string } | { readonly ok: false; readonly unset: readonly string[] };
  /** Asked for in place of what operations require. */
  readonly scopes?: readonly string[];
  readonly clock?: Clock;
}

export type Token = { readonly ok: true; readonly value: string } | { readonly ok: false; readonly message: string };

export interface TokenFetcher {
  token(scopes: readonly string[], signal: AbortSignal): Promise<Token>;
  forget(): void;
}

interface Kept {
  readonly value: string;
  readonly until: number;
}

const mostKept = 64;
/** A token is renewed this long before it ends, so that none expires on its way. */
const marginMs = 30_000;

/** Fetches tokens by client credentials, keeps them until shortly before they end, and asks once for all who wait. */
export function tokenFetcher(client: OAuthClient, egress: () => Egress): TokenFetcher {
  const { clock = monotonic } = client;
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<Token>>();

  async function ask(scope: string): Promise<Token> {
    const secret = client.clientSecret();
    if (!secret.ok)
      return { ok: false, message: `the client secret refers to ${secret.unset.join(', ')}, which is not set` };
    // No caller's signal: the one who asked first may hang up while others still wait.
    const answer = await egress().request({
      url: client.tokenUrl,
      method: 'POST',
      redirect: 'manual',
      maxResponseBytes: 65_536,
      timeoutMs: 15_000,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(client.clientId)}:${encodeURIComponent(secret.value)}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== '' && { scope }) }).toString(),
    });
    if (answer.kind !== 'response')
      return { ok: false, message: `the token endpoint could not be asked: ${answer.message}` };
    const body = parsed(answer.body.toString());
    const value = textOf(body, 'access_token');
    const type = textOf(body, 'token_type')?.toLowerCase() ?? 'bearer';
    if (answer.status !== 200 || value === undefined || type !== 'bearer' || !/^[\x21-\x7e]+$/.test(value))
      return { ok: false, message: `the token endpoint answered with status ${answer.status} and no usable token` };
    const seconds = own(body, 'expires_in');
    const lifeMs = (typeof seconds === 'number' && seconds > 0 ? seconds : 300) * 1000;
    if (kept.size >= mostKept) kept.clear();
    kept.set(scope, { value, until: clock() + Math.max(lifeMs - marginMs, lifeMs / 2) });
    return { ok: true, value };
  }

  return {
    async token(scopes) {
      const scope = [...new Set(client.scopes ?? scopes)].toSorted().join(' ');
      const found = kept.get(scope);
      if (found && found.until > clock()) return { ok: true, value: found.value };
      let running = asking.get(scope);
      if (running === undefined) {
        running = ask(scope).finally(() => asking.delete(scope));
        asking.set(scope, running);
      }
      return running;
    },
    forget: () => kept.clear(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
