import { isUtf8 } from 'node:buffer';
import type { Call } from '../../../core/call.js';
import { lru } from '../../../lib/lru.js';
import type { Egress, EgressResponse, Failed, Refused, ResponseHeaders } from '../../../net/egress/egress-types.js';
import { retryDelayMs } from '../../http/retries.js';
import { secretRedactor } from '../../http/secret-redactor.js';
import { systemTiming, type Timing } from '../../http/sender.js';
import type { CredentialParts } from './credentials.js';
import type { PreparedRequest } from './prepare.js';

/** What the requests of one call share. */
interface ExchangeOptions {
  readonly egress: () => Egress;
  readonly credentials: CredentialParts;
  /** Values of the operator in the request, which a response must not disclose. */
  readonly fixedSecrets: readonly string[];
  /** Headers that contain them. */
  readonly fixedHeaders: readonly string[];
  readonly accept: string;
  /** Total number of attempts; more than one only for operations that are safe to repeat. */
  readonly attempts: number;
  readonly timing?: Timing;
}

/** Result of one request. */
type ExchangeResult = EgressResponse | Refused | Failed;

/** Sends the requests of one call with its credentials, and redacts them from the responses. */
export function exchange(
  request: PreparedRequest,
  call: Call,
  options: ExchangeOptions,
): {
  /** The query of the first request, without credentials. */
  readonly search: string;
  send(search: string, maxBytes: number): Promise<ExchangeResult>;
} {
  const { credentials, timing = systemTiming } = options;
  const secrets = [...credentials.secrets, ...options.fixedSecrets];
  // One deadline for all attempts and pages.
  const endsAt = call.timeoutMs === undefined ? Infinity : timing.clock() + call.timeoutMs;
  const withoutCredentials = (search: string): string =>
    dropCredentialNames(search.split('&'), credentials.query).join('&');
  const cookies = [...dropCredentialNames(request.cookies, credentials.cookies), ...credentials.cookies].join('; ');

  const sendOnce = (search: string, maxBytes: number): Promise<ExchangeResult> => {
    const query = [withoutCredentials(search), ...credentials.query].filter((part) => part !== '').join('&');
    return options.egress().request({
      url: `${request.origin}${request.path}${query === '' ? '' : `?${query}`}`,
      method: request.method,
      headers: {
        accept: options.accept,
        ...request.headers,
        ...credentials.headers,
        ...(cookies !== '' && { cookie: cookies }),
      },
      // Redirects of unsafe methods are not followed: they would write to another resource.
      redirect: request.method === 'GET' || request.method === 'HEAD' ? 'follow' : 'manual',
      secretHeaders: [...credentials.secretHeaders, ...options.fixedHeaders],
      signal: call.signal,
      maxResponseBytes: maxBytes,
      // Never zero, which would mean "no timeout".
      ...(call.timeoutMs !== undefined && { timeoutMs: Math.max(1, Math.ceil(endsAt - timing.clock())) }),
      ...(request.body !== undefined && { body: request.body }),
    });
  };

  return {
    search: withoutCredentials(request.query.join('&')),
    async send(search, maxBytes) {
      for (let attempt = 1; ; attempt += 1) {
        const result = await sendOnce(search, maxBytes);
        const wait =
          attempt < options.attempts && !call.signal.aborted
            ? retryDelayMs(result, attempt, timing.random, Date.now)
            : undefined;
        if (wait === undefined || timing.clock() + wait >= endsAt) return redactResponse(result, secrets);
        await timing.sleep(wait, call.signal);
        if (call.signal.aborted) return redactResponse(result, secrets);
      }
    },
  };
}

/** Redactors by their secrets; building one takes longer than using it. */
const redactorCache = lru<string, (text: string) => string>(32);

/** Redacts credentials from a response: a service that echoes its request must not disclose them to the model. */
function redactResponse<T extends ExchangeResult>(response: T, secrets: readonly string[]): T {
  if (secrets.length === 0 || response.kind !== 'response') return response;
  const key = secrets.join('\0');
  let redact = redactorCache.get(key);
  if (redact === undefined) redactorCache.set(key, (redact = secretRedactor(secrets)));
  // Binary bodies are searched as latin1, so that one invalid byte does not bypass redaction.
  const encoding = isUtf8(response.body) ? 'utf8' : 'latin1';
  const text = response.body.toString(encoding);
  const redacted = redact(text);
  return {
    ...response,
    headers: redactHeaders(response.headers, redact),
    ...(redacted !== text && { body: Buffer.from(redacted, encoding) }),
  };
}

/** Headers with secrets redacted. */
const redactHeaders = (headers: ResponseHeaders, redact: (text: string) => string): ResponseHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? redact(value) : value?.map(redact),
    ]),
  );

/** Removes pairs with names of credentials: an exploded object may contain any name (parameter pollution). */
function dropCredentialNames(pairs: readonly string[], credentials: readonly string[]): readonly string[] {
  const names = new Set(credentials.map((pair) => pair.split('=')[0]));
  return names.size === 0 ? pairs : pairs.filter((pair) => !names.has(pair.split('=')[0]));
}
