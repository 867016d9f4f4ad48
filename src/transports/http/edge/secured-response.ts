import { ServerResponse } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';

/** Security headers of every response: no caching, no MIME sniffing, no framing (clickjacking), no referrer. */
export const securityHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
} as const;

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Response class of a listener. Every head passes through `writeHead`, also those that Node writes itself, so no route can forget
 * the security headers; and a response that ends after the shutdown began makes its client close the connection.
 */
export function securedResponse(isStopping: () => boolean): typeof ServerResponse<IncomingMessage> {
  return class SecuredResponse extends ServerResponse<IncomingMessage> {
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      // Otherwise the client sends its next request on a connection that is about to be closed (ECONNRESET).
      if (isStopping()) this.shouldKeepAlive = false;
      const given = typeof reason === 'string' ? headers : reason;
      const all = Array.isArray(given)
        ? [...Object.entries(securityHeaders).flat(), ...given]
        : { ...securityHeaders, ...given };
      return typeof reason === 'string' ? super.writeHead(status, reason, all) : super.writeHead(status, all);
    }
  };
}
