import type { NetworkPolicy } from './network-policy.js';
import type { Resolver } from '../addresses/resolver.js';

/** Allowed destinations and resource limits of outgoing requests; every default is restrictive. */
export interface EgressRules {
  /** Allowed addresses; without `hosts`, also the allowed names. */
  readonly networks: NetworkPolicy;
  /** `name`, `*.suffix`, `.suffix` or an address; `*` only together with `insecureDev`. */
  readonly hosts?: readonly string[];
  readonly ports?: readonly number[] | 'any';
  readonly schemes?: readonly ('http' | 'https')[];
  readonly insecureDev?: boolean;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly maxHeaderBytes?: number;
  /** Maximum decompression ratio, checked from one megabyte on (decompression bomb). */
  readonly maxUnpackRatio?: number;
  readonly maxRedirects?: number;
  readonly connectionsPerHost?: number;
  readonly maxInFlight?: number;
  readonly keepAliveMs?: number;
  /** Headers to drop on a redirect to another origin, besides those that look like credentials. */
  readonly secretHeaders?: readonly string[];
  readonly resolver?: Resolver;
  /** CA and client certificates; verification cannot be disabled. */
  readonly tls?: { readonly ca?: string | Buffer; readonly cert?: string | Buffer; readonly key?: string | Buffer };
}

/** An outgoing request; Host, Content-Length and encodings are set by the gateway only (request smuggling). */
export interface EgressRequest {
  readonly url: string | URL;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Time limit of the whole exchange, redirects and body included; for a stream, up to its headers. */
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly secretHeaders?: readonly string[];
  readonly redirect?: 'follow' | 'manual';
}

/** A request whose response is streamed. */
interface StreamRequest extends EgressRequest {
  /** Maximum time without data; 60 s by default. */
  readonly idleMs?: number;
  /** Maximum duration of the stream; 10 minutes by default, `Infinity` for no limit. */
  readonly totalMs?: number;
}

/** Header names in lower case; a repeated header is a list. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request the rules reject; nothing was sent to the rejected destination. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason:
    | 'bad_url'
    | 'scheme'
    | 'userinfo'
    | 'host'
    | 'port'
    | 'address'
    | 'bad_method'
    | 'bad_header'
    | 'bad_redirect'
    | 'downgrade'
    | 'too_many_redirects';
  readonly message: string;
}

/** A request that was allowed and failed. */
export interface Failed {
  readonly kind: 'failed';
  readonly reason:
    'network' | 'dns' | 'tls' | 'protocol' | 'timeout' | 'cancelled' | 'too_large' | 'bad_encoding' | 'busy' | 'closed';
  readonly message: string;
  /** No connection was made, so nothing was sent. */
  readonly unsent?: true;
}

/** A complete response; `finalUrl` may contain secrets of the caller's query. */
export interface EgressResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  readonly finalUrl: string;
  readonly hops: number;
}

/** A streamed response. `body` rejects with a `StreamFailure` if cut short, so a truncated body never looks complete. */
export interface EgressStream {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: AsyncIterable<Buffer>;
  /** Reads the complete body; an alternative to `body` that rejects in the same way. */
  readonly whole: () => Promise<Buffer>;
  readonly finalUrl: string;
  readonly hops: number;
  readonly cancel: () => void;
}

/** Result of a request. */
export type EgressResult = EgressResponse | Refused | Failed;

/** Whether the rules allow a URL now, and its addresses. */
export type UrlVerdict =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly reason: Refused['reason'] | 'dns'; readonly message: string };

/** Guarded HTTP client; all outgoing requests of the gateway use it. */
export interface Egress {
  readonly request: (request: EgressRequest) => Promise<EgressResult>;
  readonly open: (request: StreamRequest) => Promise<EgressStream | Refused | Failed>;
  /** Checks a URL against the rules without any lookup. */
  readonly check: (url: string | URL) => { readonly ok: true } | Extract<UrlVerdict, { ok: false }>;
  readonly vet: (url: string | URL) => Promise<UrlVerdict>;
  /** Closes all connections; requests in flight fail with `closed`. */
  readonly close: () => Promise<void>;
}

/** Builds a refusal value. */
export const toRefusal = (reason: Refused['reason'], message: string): Refused => ({
  kind: 'refused',
  reason,
  message,
});

/** Builds a failure value. */
export const toFailure = (reason: Failed['reason'], message: string): Failed => ({ kind: 'failed', reason, message });

/** Error of a body that was cut short. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
  constructor(readonly failure: Failed | Refused) {
    super(failure.message);
  }
}
