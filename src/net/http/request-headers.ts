import { toRefusal, type Refused } from '../egress/egress-types.js';

/** Valid header names (RFC 9110 token). */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** Characters outside of a header value, line breaks among them (header injection). */
const unsafeValue = /[^\t\x20-\x7e\x80-\xff]/;
/** Bound of all headers together. */
const maxHeaderBytes = 32_768;

/** Headers that control message framing or routing; callers must not set them (request smuggling). */
export const framingHeaders: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-connection',
  'proxy-authorization',
]);

/** Names that hold credentials in practice; they stay with their origin. */
const credentialName = /auth|cookie|token|secret|key|session|credential|password|signature/;

/** Lower-cases and checks the caller's headers and adds the defaults; refuses invalid ones (header injection). */
export function requestHeaders(
  given: Readonly<Record<string, string>> | undefined,
): { readonly kind: 'headers'; readonly headers: Record<string, string> } | Refused {
  const headers: Record<string, string> = {
    'user-agent': 'toolgate',
    accept: '*/*',
    'accept-encoding': 'gzip, deflate, br',
  };
  let bytes = 0;
  for (const [name, value] of Object.entries(given ?? {})) {
    const lower = name.toLowerCase();
    if (!headerName.test(name))
      return toRefusal('bad_header', 'a header name contains a character that is not allowed');
    if (framingHeaders.has(lower) || lower === '__proto__')
      return toRefusal('bad_header', `header ${lower} is set by the gateway`);
    if (typeof value !== 'string' || unsafeValue.test(value))
      return toRefusal('bad_header', `header ${lower} contains a character that is not allowed`);
    bytes += lower.length + value.length;
    headers[lower] = value;
  }
  return bytes > maxHeaderBytes
    ? toRefusal('bad_header', `the headers are longer than ${maxHeaderBytes} bytes`)
    : { kind: 'headers', headers };
}

/** Headers to send after a redirect to another origin: all but credentials. */
export function withoutSecrets(
  headers: Readonly<Record<string, string>>,
  secret: ReadonlySet<string>,
): Record<string, string> {
  const isSafe = (name: string) => !secret.has(name) && (name === 'idempotency-key' || !credentialName.test(name));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isSafe(name)));
}
