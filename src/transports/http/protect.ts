import type { IncomingMessage } from 'node:http';

export interface ProtectOptions {
  /** Names besides the loopback ones under which the gateway may be addressed. */
  readonly allowedHosts: readonly string[];
  /** Origins of web pages that may call, besides the gateway's own. */
  readonly allowedOrigins: readonly string[];
}

const isElsewhere: ReadonlySet<unknown> = new Set(['cross-site', 'same-site']);
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Says why a request must not be served, judging by its Host and Origin; undefined lets it pass. */
export function protect(options: ProtectOptions): (req: IncomingMessage) => string | undefined {
  const hosts = new Set([...loopbackNames, ...options.allowedHosts.map(normalHost)]);
  const origins = new Set(options.allowedOrigins.map((origin) => origin.toLowerCase()));

  return ({ headers }) => {
    // A page of an attacker's domain that was re-bound to this address still sends that domain's name.
    const host = headers.host;
    if (host === undefined || !hosts.has(normalHost(host))) return 'The Host header names no host of this gateway';
    const { origin } = headers;
    // By an image or a frame a page elsewhere makes a browser ask without an Origin, and uses up what this address may ask.
    if (origin === undefined)
      return isElsewhere.has(headers['sec-fetch-site']) && headers['sec-fetch-dest'] !== 'document'
        ? 'The request comes from a page elsewhere'
        : undefined;
    const lower = origin.toLowerCase();
    if (origins.has(lower) || lower === `http://${host.toLowerCase()}` || lower === `https://${host.toLowerCase()}`)
      return undefined;
    return 'The Origin is not allowed';
  };
}

/** A host without its port, in lower case and without the trailing dot that makes the same name another string. */
function normalHost(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}
