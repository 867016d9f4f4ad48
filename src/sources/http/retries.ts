import type { EgressResult, ResponseHeaders } from '../../net/egress-types.js';

const baseMs = 500;
const capMs = 5_000;
const gatewayTroubles = new Set([502, 503, 504]);

/** How long to wait before the next attempt, full jitter included; undefined where another attempt cannot help or must not be made. */
export function waitBefore(
  result: EgressResult,
  attempt: number,
  random: () => number,
  now: () => number,
): number | undefined {
  const backoff = random() * Math.min(baseMs * 2 ** (attempt - 1), capMs);
  if (result.kind === 'failed') return result.reason === 'network' || result.reason === 'dns' ? backoff : undefined;
  if (result.kind === 'refused') return undefined;
  const asked = retryAfterMs(result.headers, now);
  if (result.status === 429) return asked === undefined ? undefined : Math.max(asked, backoff);
  return gatewayTroubles.has(result.status) ? Math.max(asked ?? 0, backoff) : undefined;
}

/** What `Retry-After` asks for, in milliseconds; undefined where it is absent or cannot be read. */
export function retryAfterMs(headers: ResponseHeaders, now: () => number = Date.now): number | undefined {
  const given = headers['retry-after'];
  if (typeof given !== 'string') return undefined;
  if (/^\d{1,7}$/.test(given.trim())) return Number(given) * 1000;
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now()), 86_400_000);
}
