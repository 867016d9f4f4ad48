import type { IncomingMessage, ServerResponse } from 'node:http';

/** Adds what a browser needs to let a listed page read the answer; true where a preflight was answered with that. */
export type Cors = (req: IncomingMessage, res: ServerResponse) => boolean;

/** Cross-origin access for listed origins only; credentials travel in a header, so cookies are never allowed along. */
export function cors(origins: readonly string[]): Cors {
  if (origins.length === 0) return () => false;
  const listed = new Set(origins.map((origin) => origin.toLowerCase()));

  return (req, res) => {
    const { origin } = req.headers;
    if (origin === undefined || !listed.has(origin.toLowerCase())) return false;
    res.setHeader('access-control-allow-origin', origin);
    res.setHeader('vary', 'Origin');
    res.setHeader('access-control-expose-headers', 'Mcp-Session-Id, Retry-After, RateLimit, WWW-Authenticate');
    if (req.method !== 'OPTIONS') return false;
    const asked = req.headers['access-control-request-headers'];
    res.writeHead(204, {
      'access-control-allow-methods': 'GET, POST, DELETE',
      ...(asked !== undefined && { 'access-control-allow-headers': asked }),
      'access-control-max-age': '600',
    });
    res.end();
    return true;
  };
}
