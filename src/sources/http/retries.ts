import type { EgressResult, ResponseHeaders } from '../../net/egress-types.js';

const baseMs = 500;
const capMs = 5_000;
const retryableStatuses = new Set([502, 503, 504]);

/** Delay before the next attempt (exponential back-off with full jitter); undefined if there should be none. */
export function retryDelayMs(
  result: EgressResult,
  attempt: number,
  random: () => number,
  now: () => number,
): number | undefined {
  const backoff = random() * Math.min(baseMs * 2 ** (attempt - 1), capMs);
  if (result.kind === 'failed') return result.reason === 'network' || result.reason === 'dns' ? backoff : undefined;
  if (result.kind === 'refused') return undefined;
  const requestedMs = retryAfterMs(result.headers, now);
  if (result.status === 429) return requestedMs === undefined ? undefined : Math.max(requestedMs, backoff);
  return retryableStatuses.has(result.status) ? Math.max(requestedMs ?? 0, backoff) : undefined;
}

/** Parses `Retry-After` into milliseconds; undefined if absent or invalid. */
export function retryAfterMs(headers: ResponseHeaders, now: () => number = Date.now): number | undefined {
  const header = headers['retry-after'];
  if (typeof header !== 'string') return undefined;
  if (/^\d{1,7}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now()), 86_400_000);
}
