import type { Judge } from './egress-rules.js';
import { refused, type Refused, type ResponseHeaders } from './egress-types.js';
import type { Hop } from './exchanges.js';
import { withoutSecrets } from './request-headers.js';

const statuses = new Set([301, 302, 303, 307, 308]);

/** Whether an answer asks to be followed. */
export function isRedirect(status: number, headers: ResponseHeaders): boolean {
  return statuses.has(status) && headers['location'] !== undefined;
}

/** Where to go next, judged like any first request, or why not. */
export function nextHop(
  hop: Hop,
  status: number,
  headers: ResponseHeaders,
  judge: Judge,
  secret: ReadonlySet<string>,
): Hop | Refused {
  const location = headers['location'];
  if (typeof location !== 'string') return refused('bad_redirect', 'the redirect names more than one place');
  const next = judge.url(location, hop.url);
  if (next.kind === 'refused') return refused(next.reason, `a redirect was refused: ${next.message}`);
  if (hop.url.protocol === 'https:' && next.url.protocol === 'http:')
    return refused('downgrade', 'a redirect was refused: it leads from https to http');
  // Once dropped, a credential stays dropped, so a detour through another origin cannot bring it back changed.
  const headersKept = next.url.origin === hop.url.origin ? hop.headers : withoutSecrets(hop.headers, secret);
  const becomesGet =
    status === 303 ? hop.method !== 'HEAD' && hop.method !== 'GET' : status < 303 && hop.method === 'POST';
  if (becomesGet) return { url: next.url, method: 'GET', headers: withoutBody(headersKept) };
  return { ...hop, url: next.url, headers: headersKept };
}

function withoutBody(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
}
