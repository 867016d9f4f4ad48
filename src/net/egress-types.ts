import type { NetworkPolicy } from './policies.js';
import type { Resolver } from './resolver.js';

/** Where requests may go and how much they may cost; everything has a closed default. */
export interface EgressRules {
  /** Which addresses may be connected to. Without `hosts`, it also decides which names may be asked for. */
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
  /** How many bytes one received byte may unpack to, once a megabyte has been unpacked. */
  readonly maxUnpackRatio?: number;
  readonly maxRedirects?: number;
  readonly connectionsPerHost?: number;
  readonly maxInFlight?: number;
  readonly keepAliveMs?: number;
  /** Headers that never follow a redirect to another origin, besides those that look like credentials. */
  readonly secretHeaders?: readonly string[];
  readonly resolver?: Resolver;
  /** Certificates to trust or to present; verification itself cannot be switched off. */
  readonly tls?: { readonly ca?: string | Buffer; readonly cert?: string | Buffer; readonly key?: string | Buffer };
}

/** One request; the guard adds Host, lengths and encodings, and a caller may not. */
export interface EgressRequest {
  readonly url: string | URL;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** The whole exchange, redirects and body included; for a stream, everything up to its first byte. */
  readonly timeoutMs?: number;
  readonly maxResponseBytes?: number;
  readonly secretHeaders?: readonly string[];
  readonly redirect?: 'follow' | 'manual';
}

/** A request whose answer is read as it comes. */
export interface StreamRequest extends EgressRequest {
  /** The longest silence while we wait for bytes; 60 s unless told. */
  readonly idleMs?: number;
  /** The longest life of the stream; 10 minutes unless told, `Infinity` for none. */
  readonly totalMs?: number;
}

/** Header names in lower case; a repeated header is a list. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A request the rules do not allow; nothing was sent to the place refused. */
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

/** A request that was allowed and did not work out. */
export interface Failed {
  readonly kind: 'failed';
  readonly reason:
    'network' | 'dns' | 'tls' | 'protocol' | 'timeout' | 'cancelled' | 'too_large' | 'bad_encoding' | 'busy' | 'closed';
  readonly message: string;
}

/** The whole answer; `finalUrl` may hold what the caller put into its query. */
export interface EgressResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  readonly finalUrl: string;
  readonly hops: number;
}

/** An answer still arriving. `body` rejects with a `StreamFailure` when it is cut, so a part never looks like the whole. */
export interface EgressStream {
  readonly kind: 'stream';
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: AsyncIterable<Buffer>;
  /** The whole body at once, for those who need all of it; instead of `body`, and rejecting as it does. */
  readonly whole: () => Promise<Buffer>;
  readonly finalUrl: string;
  readonly hops: number;
  readonly cancel: () => void;
}

/** What becomes of a request. */
export type EgressResult = EgressResponse | Refused | Failed;

/** Whether a URL could be reached now, and at which addresses. */
export type UrlVerdict =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | { readonly ok: false; readonly reason: Refused['reason'] | 'dns'; readonly message: string };

/** The one way out of the building. */
export interface Egress {
  readonly request: (request: EgressRequest) => Promise<EgressResult>;
  readonly open: (request: StreamRequest) => Promise<EgressStream | Refused | Failed>;
  readonly vet: (url: string | URL) => Promise<UrlVerdict>;
  /** Ends every connection; what is under way fails with `closed`. */
  readonly close: () => Promise<void>;
}

/** A refusal value. */
export const refused = (reason: Refused['reason'], message: string): Refused => ({ kind: 'refused', reason, message });

/** A failure value. */
export const failed = (reason: Failed['reason'], message: string): Failed => ({ kind: 'failed', reason, message });

/** How a body that was cut short ends. */
export class StreamFailure extends Error {
  override readonly name = 'StreamFailure';
  constructor(readonly failure: Failed | Refused) {
    super(failure.message);
  }
}
