import type { CompiledEgressRules } from './egress-rules.js';
import { toRefusal, type Refused, type ResponseHeaders } from './egress-types.js';
import type { Hop } from '../http/http-exchange.js';
import { withoutSecrets } from '../http/request-headers.js';

/** Statuses that carry a Location. */
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Whether a response is a redirect. */
export function isRedirect(status: number, headers: ResponseHeaders): boolean {
  return redirectStatuses.has(status) && headers['location'] !== undefined;
}

/** Next hop of a redirect, checked like a first request, or the refusal. */
export function nextHop(
  hop: Hop,
  status: number,
  headers: ResponseHeaders,
  rules: CompiledEgressRules,
  secret: ReadonlySet<string>,
): Hop | Refused {
  const location = headers['location'];
  if (typeof location !== 'string') return toRefusal('bad_redirect', 'the redirect has more than one Location header');
  const next = rules.url(location, hop.url);
  if (next.kind === 'refused') return toRefusal(next.reason, `redirect refused: ${next.message}`);
  // A downgrade would send the request in plain text.
  if (hop.url.protocol === 'https:' && next.url.protocol === 'http:')
    return toRefusal('downgrade', 'redirect refused: it downgrades from https to http');
  // Credentials are dropped for good, so that a detour through another origin cannot leak or restore them.
  const headersKept = next.url.origin === hop.url.origin ? hop.headers : withoutSecrets(hop.headers, secret);
  // Methods change as browsers do it (RFC 9110, section 15.4).
  const becomesGet =
    status === 303 ? hop.method !== 'HEAD' && hop.method !== 'GET' : status < 303 && hop.method === 'POST';
  if (becomesGet) return { url: next.url, method: 'GET', headers: withoutBody(headersKept) };
  return { ...hop, url: next.url, headers: headersKept };
}

/** Headers without those that describe a body. */
function withoutBody(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}
