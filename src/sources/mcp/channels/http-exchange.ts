import type { Egress, EgressStream } from '../../../net/egress/egress-types.js';
import { failedReply } from '../../../wire/reply.js';
import type { TransportFailure } from '../../../wire/reply.js';
import { requestFailure } from './http-failures.js';

/** Credentials for a remote server: headers computed per request, and a hook for a 401 or 403. */
export interface Credentials {
  headers(signal?: AbortSignal): Promise<CredentialHeaders>;
  /** Called on a 401 or 403 with the rejected headers; true if the request should be sent once more. */
  onRejected?(status: number, challenge: string | undefined, sent: Readonly<Record<string, string>>): Promise<boolean>;
}

/** Headers to send, or why there are none; `needsAction` if the user must act first (log in). */
type CredentialHeaders =
  { readonly headers: Readonly<Record<string, string>> } | { readonly problem: string; readonly needsAction?: boolean };

/** What an HTTP channel is built from. */
export interface HttpChannelOptions {
  readonly url: string;
  readonly egress: Pick<Egress, 'open' | 'request'>;
  readonly credentials: Credentials;
  readonly maxAnswerBytes?: number;
}

/** Bound of one response. */
export const defaultMaxAnswerBytes = 16 * 1024 * 1024;
/** A stream without a byte for this long is dead; servers send keep-alives. */
const idleTimeoutMs = 300_000;

/** One HTTP request to the server. */
interface ExchangeRequest {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Response stream, or why there is none. */
export type Exchanged = EgressStream | { readonly failure: TransportFailure };

/** Sends one request and returns its response stream. */
type HttpExchange = (request: ExchangeRequest) => Promise<Exchanged>;

/** Sends requests with the credentials of a source; retries once if they were rejected and could be renewed. */
export function httpExchange(options: HttpChannelOptions): HttpExchange {
  const { url, egress, credentials, maxAnswerBytes = defaultMaxAnswerBytes } = options;
  return async ({ method, headers, body, timeoutMs, signal }) => {
    for (let attempt = 0; ; attempt += 1) {
      const auth = await credentials.headers(signal);
      // A missing login is the user's to fix, so it must not count as a failure of the server.
      if ('problem' in auth) return failedReply(auth.needsAction ? 'refused' : 'connection', auth.problem);
      const answer = await egress.open({
        url,
        method,
        signal,
        timeoutMs,
        idleMs: idleTimeoutMs,
        totalMs: timeoutMs,
        maxResponseBytes: maxAnswerBytes,
        // A redirect would carry the credentials to another address.
        redirect: 'manual',
        headers: { ...headers, ...auth.headers },
        ...(body !== undefined && { body }),
      });
      if (answer.kind !== 'stream') return { failure: requestFailure(answer) };
      // Once: credentials that are rejected twice are wrong.
      if ((answer.status !== 401 && answer.status !== 403) || attempt > 0) return answer;
      const challenge = answer.headers['www-authenticate'];
      const challengeText = typeof challenge === 'string' ? challenge : challenge?.[0];
      if (!(await credentials.onRejected?.(answer.status, challengeText, auth.headers))) return answer;
      // The rejected response is drained before the retry, or its connection would be lost.
      answer.cancel();
    }
  };
}
