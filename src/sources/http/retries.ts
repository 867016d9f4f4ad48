import type { EgressResult, ResponseHeaders } from '../../net/egress/egress-types.js';

/** First and longest delay in milliseconds. */
const baseMs = 500;
const capMs = 5_000;
/** Statuses of gateways and overloaded services; 500 is missing, because it may have had an effect. */
const retryableStatuses = new Set([502, 503, 504]);

/** Delay before the next attempt (exponential back-off with full jitter); undefined if there should be none. */
export function retryDelayMs(
  result: EgressResult,
  attempt: number,
  random: () => number,
  now: () => number,
): number | undefined {
  // Full jitter: a random share of the delay spreads retries of many callers (thundering herd).
  const backoff = random() * Math.min(baseMs * 2 ** (attempt - 1), capMs);
  // TLS and protocol failures do not go away by repeating.
  if (result.kind === 'failed') return result.reason === 'network' || result.reason === 'dns' ? backoff : undefined;
  if (result.kind === 'refused') return undefined;
  const requestedMs = retryAfterMs(result.headers, now);
  // Without a stated delay a rate limit is not retried: guessing would only prolong it.
  if (result.status === 429) return requestedMs === undefined ? undefined : Math.max(requestedMs, backoff);
  return retryableStatuses.has(result.status) ? Math.max(requestedMs ?? 0, backoff) : undefined;
}

/** Whether a status asks the caller to come back later. */
export const isBusyStatus = (status: number): boolean => status === 429 || status === 503;

/** Parses `Retry-After` into milliseconds; undefined if absent or invalid. */
export function retryAfterMs(headers: ResponseHeaders, now: () => number = Date.now): number | undefined {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,7}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  // Bounded to a day: the header comes from the service.
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now()), 86_400_000);
}
