import type { Dispatcher } from 'undici';
import { describeSystemError } from '../../lib/system-error.js';
import { ConnectRefusal } from './connections.js';
import { toFailure, type Failed, type Refused, type ResponseHeaders } from '../egress/egress-types.js';

/** One request on the wire; a redirect makes a new hop. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Response observer; no events after `end` or `fail`. */
export interface ResponseObserver {
  readonly head: (status: number, headers: ResponseHeaders) => void;
  readonly data: (chunk: Buffer) => void;
  readonly end: () => void;
  readonly fail: (why: Failed | Refused) => void;
}

/** Controls an exchange in progress. */
export interface ExchangeControl {
  /** Aborts at once, even while waiting for a connection; the observer gets no further events. */
  readonly stop: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Control of an exchange that never started. */
export const noExchange: ExchangeControl = { stop: () => undefined, pause: () => undefined, resume: () => undefined };

/** Sends one request and reports the response; never follows redirects, retries or throws. */
export function startExchange(
  dispatcher: Dispatcher,
  hop: Hop,
  observer: ResponseObserver,
  onSettled: () => void,
): ExchangeControl {
  let controller: Dispatcher.DispatchController | undefined;
  let isOver = false;
  // Settled once; later events of the library are dropped.
  const settle = (notify: () => void) => {
    onSettled();
    if (isOver) return;
    isOver = true;
    notify();
  };
  dispatcher.dispatch(
    {
      origin: hop.url.origin,
      path: `${hop.url.pathname}${hop.url.search}`,
      // undici's list of methods is narrower than what a token may be; the method was checked before.
      method: hop.method as Dispatcher.HttpMethod,
      headers: hop.headers,
      body: hop.body ?? null,
    },
    {
      onRequestStart: (started) => {
        controller = started;
        // Stopped while waiting for a connection.
        if (isOver) started.abort(new Error('stopped before it began'));
      },
      onResponseStart: (_, status, headers) => {
        // Informational (1xx) responses precede the final one, any number of times.
        if (!isOver && status >= 200) observer.head(status, headers);
      },
      onResponseData: (_, chunk) => {
        if (!isOver) observer.data(chunk);
      },
      onResponseEnd: () => settle(observer.end),
      onResponseError: (_, error) => {
        const failure = toEgressFailure(error);
        // A request starts on an open connection: without a start nothing has left this machine.
        const isUnsent = controller === undefined && failure.kind === 'failed';
        settle(() => observer.fail(isUnsent ? { ...failure, unsent: true } : failure));
      },
    },
  );
  return {
    stop: () => {
      if (isOver) return;
      isOver = true;
      controller?.abort(new Error('stopped'));
    },
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
  };
}

/** OpenSSL and Node codes of certificate errors in plain words. */
const tlsReasons: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate chain is self-signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of the certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the issuer of the certificate is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
};

/** Codes of certificate and TLS errors. */
const certificateErrorCode = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|HOSTNAME/;

// Library messages contain addresses and parts of the response, so the error code is mapped to plain words.
function toEgressFailure(error: Error & { code?: unknown }): Failed | Refused {
  if (error instanceof ConnectRefusal) return error.outcome;
  const code = typeof error.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(error.code) ? error.code : 'unknown';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return toFailure('timeout', 'could not connect in time');
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return toFailure('too_large', 'the response headers are too large');
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED')
    return toFailure('closed', 'the gateway is shutting down');
  if (code === 'UND_ERR_MAX_ORIGINS_REACHED') return toFailure('busy', 'too many different hosts at once');
  if (certificateErrorCode.test(code))
    return toFailure('tls', `TLS connection failed: ${tlsReasons[code] ?? 'the certificate or protocol was rejected'}`);
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return toFailure('protocol', 'the response is not valid HTTP');
  return toFailure(
    'network',
    `the connection failed: ${describeSystemError(error, 'the server closed it or sent no valid response')}`,
  );
}
