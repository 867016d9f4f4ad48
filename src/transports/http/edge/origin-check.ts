import type { IncomingMessage } from 'node:http';

/** Host names and origins that are accepted besides the loopback and own ones. */
interface OriginCheckOptions {
  /** Accepted Host names besides the loopback ones. */
  readonly allowedHosts: readonly string[];
  /** Accepted Origins besides the gateway's own. */
  readonly allowedOrigins: readonly string[];
}

/** Values of Sec-Fetch-Site for requests that a page of another site caused. */
const otherSites: ReadonlySet<unknown> = new Set(['cross-site', 'same-site']);
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Rejects requests from foreign web pages by Host (DNS rebinding), Origin and Sec-Fetch-Site (CSRF); returns the reason, or
 * undefined to accept.
 */
export function originCheck(options: OriginCheckOptions): (req: IncomingMessage) => string | undefined {
  const hosts = new Set([...loopbackNames, ...options.allowedHosts.map(normalizeHost)]);
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));

  return ({ headers }) => {
    // DNS rebinding: a page whose domain was re-bound to this address still sends the attacker's domain as Host.
    const host = headers.host;
    if (host === undefined || !hosts.has(normalizeHost(host)))
      return 'The Host header is not an allowed host of this gateway; see server.allowed_hosts';
    const { origin } = headers;
    // Images and frames send no Origin; without this check a foreign page could use up the peer rate of the browser.
    if (origin === undefined)
      return otherSites.has(headers['sec-fetch-site']) && headers['sec-fetch-dest'] !== 'document'
        ? 'Cross-site requests are not allowed'
        : undefined;
    const lower = origin.toLowerCase();
    if (origins.has(lower) || lower === `http://${host.toLowerCase()}` || lower === `https://${host.toLowerCase()}`)
      return undefined;
    return 'The Origin is not allowed; see server.allowed_origins';
  };
}

/** Lower case, without port and trailing dot: `localhost.` and `localhost` are the same host. */
function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
