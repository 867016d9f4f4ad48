import { refused, type Refused } from './egress-types.js';

/** What a header may be called. */
export const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const unsafeValue = /[^\t\x20-\x7e\x80-\xff]/;
const maxBytes = 32_768;

/** Whoever sets these decides how many requests the bytes on the wire are, or whom they are for. */
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

const credential = /auth|cookie|token|secret|key|session|credential|password|signature/;

/** The caller's headers in lower case with our own added, or why they cannot be sent. */
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
    if (!headerName.test(name)) return refused('bad_header', 'a header name holds a character that is not allowed');
    if (framingHeaders.has(lower) || lower === '__proto__')
      return refused('bad_header', `header ${lower} is set by the gate itself`);
    if (typeof value !== 'string' || unsafeValue.test(value))
      return refused('bad_header', `header ${lower} holds a character that is not allowed`);
    bytes += lower.length + value.length;
    headers[lower] = value;
  }
  return bytes > maxBytes
    ? refused('bad_header', `the headers are longer than ${maxBytes} bytes`)
    : { kind: 'headers', headers };
}

/** The headers that may follow a redirect to another origin. */
export function withoutSecrets(
  headers: Readonly<Record<string, string>>,
  secret: ReadonlySet<string>,
): Record<string, string> {
  const isSafe = (name: string) => !secret.has(name) && (name === 'idempotency-key' || !credential.test(name));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isSafe(name)));
}
