import type { IncomingMessage, ServerResponse } from 'node:http';

/** Adds CORS headers for listed origins; returns true if it answered a preflight request. */
type Cors = (req: IncomingMessage, res: ServerResponse) => boolean;

/** CORS for listed origins only; tokens travel in the Authorization header, so cookies (`allow-credentials`) are never allowed. */
export function cors(origins: readonly string[]): Cors {
  if (origins.length === 0) return () => false;
  const listed = new Set(origins.map((origin) => origin.toLowerCase()));

  return (req, res) => {
    const { origin } = req.headers;
    if (origin === undefined || !listed.has(origin.toLowerCase())) return false;
    res.setHeader('access-control-allow-origin', origin);
    // Without Vary, a shared cache could serve this response to another origin.
    res.setHeader('vary', 'Origin');
    res.setHeader('access-control-expose-headers', 'Mcp-Session-Id, Retry-After, RateLimit, WWW-Authenticate');
    if (req.method !== 'OPTIONS') return false;
    const requestedHeaders = req.headers['access-control-request-headers'];
    res.writeHead(204, {
      'access-control-allow-methods': 'GET, POST, DELETE',
      ...(requestedHeaders !== undefined && { 'access-control-allow-headers': requestedHeaders }),
      'access-control-max-age': '600',
    });
    res.end();
    return true;
  };
}
