import type { Dispatcher } from 'undici';
import { ConnectRefusal } from './connections.js';
import { failed, type Failed, type Refused, type ResponseHeaders } from './egress-types.js';

/** One request as it goes on the wire. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Who is told about an answer; after `end` or `fail` nothing more comes. */
export interface Receiver {
  readonly head: (status: number, headers: ResponseHeaders) => void;
  readonly data: (chunk: Buffer) => void;
  readonly end: () => void;
  readonly fail: (why: Failed | Refused) => void;
}

/** The hand on an exchange under way. */
export interface Flow {
  /** Ends it at once, also while it still waits for a connection; the receiver hears nothing more. */
  readonly stop: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** The hand on an exchange that never began. */
export const noFlow: Flow = { stop: () => undefined, pause: () => undefined, resume: () => undefined };

/** Sends one request and reports its answer; it follows nothing, retries nothing and never throws. */
export function exchange(dispatcher: Dispatcher, hop: Hop, receiver: Receiver, onSettled: () => void): Flow {
  let controller: Dispatcher.DispatchController | undefined;
  let over = false;
  const settle = (tell: () => void) => {
    onSettled();
    if (over) return;
    over = true;
    tell();
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
        if (over) started.abort(new Error('stopped before it began'));
      },
      onResponseStart: (_, status, headers) => {
        // 1xx answers come before the real one and may come many times.
        if (!over && status >= 200) receiver.head(status, headers);
      },
      onResponseData: (_, chunk) => {
        if (!over) receiver.data(chunk);
      },
      onResponseEnd: () => settle(receiver.end),
      onResponseError: (_, error) => settle(() => receiver.fail(outcomeOf(error))),
    },
  );
  return {
    stop: () => {
      if (over) return;
      over = true;
      controller?.abort(new Error('stopped'));
    },
    pause: () => controller?.pause(),
    resume: () => controller?.resume(),
  };
}

const certificateTrouble = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|HOSTNAME/;

// Only the code is told: messages of the libraries below hold addresses and pieces of what was received.
function outcomeOf(error: Error & { code?: unknown }): Failed | Refused {
  if (error instanceof ConnectRefusal) return error.outcome;
  const code = typeof error.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(error.code) ? error.code : 'unknown';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return failed('timeout', 'no connection within the time allowed');
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return failed('too_large', 'the response headers are larger than allowed');
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return failed('closed', 'the gate is shutting down');
  if (code === 'UND_ERR_MAX_ORIGINS_REACHED') return failed('busy', 'too many different hosts at once');
  if (certificateTrouble.test(code)) return failed('tls', `no trusted TLS connection (${code})`);
  if (error.name === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return failed('protocol', 'the answer is not valid HTTP');
  return failed('network', `the connection failed (${code})`);
}
