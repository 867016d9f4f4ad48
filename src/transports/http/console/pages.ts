import type { ServerResponse } from 'node:http';
import { sendProblem, sendUnknownRoute } from '../edge/respond.js';
import type { HttpContext, Route } from '../edge/route.js';

/** A file of the built console. */
export interface ConsoleFile {
  readonly type: string;
  readonly body: Buffer;
  readonly gzip: Buffer;
  /** Content hash, quoted, as the ETag header needs it. */
  readonly etag: string;
}

/** Built files by name; undefined if the console was not built. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile> | undefined;

/**
 * Scripts and styles come from this origin only and no string becomes markup (Trusted Types without any policy), so that text of an
 * untrusted source cannot run even if a page drew it wrongly (XSS).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Headers of the page and of all of its files. */
const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;

/** Files below this prefix have their hash in the name. */
const assetPrefix = 'assets/';

/** Static files of the console. Every path that is not an asset gets the same page; it holds no data, so it needs no credential. */
export function consolePageRoutes(files: () => ConsoleFiles, isOn: () => boolean): readonly Route[] {
  const serve = ({ req, res, params }: HttpContext): void => {
    if (!isOn()) return sendUnknownRoute(res);
    const built = files();
    // A clone that was not built has no console; everything else works.
    if (built === undefined)
      return sendProblem(res, 503, 'unavailable', 'The console was not built; run npm run build');
    const path = params['rest'] ?? '';
    const isAsset = path.startsWith(assetPrefix);
    const file = built.get(isAsset ? path : 'index.html');
    // An unknown asset must not get the page: a browser would run HTML as a script and report a confusing error.
    if (file === undefined) return sendUnknownRoute(res);
    return sendFile(res, file, {
      isHashed: isAsset,
      isUnchanged: req.headers['if-none-match'] === file.etag,
      acceptsGzip: /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? '')),
      isHead: req.method === 'HEAD',
    });
  };
  const doc = {
    summary: 'The console, a web page for operators; it holds no data and logs in with a one-time code',
    responses: { 200: { description: 'The page or one of its files', type: 'text/html' } },
  };
  return [
    { method: 'GET', path: '/console', auth: 'open', doc, handle: serve },
    { method: 'GET', path: '/console/{*rest}', auth: 'open', doc, handle: serve },
  ];
}

/** Sends one file with the headers for caching; 304 if the browser has it. */
function sendFile(
  res: ServerResponse,
  { type, body, gzip, etag }: ConsoleFile,
  how: {
    readonly isHashed: boolean;
    readonly isUnchanged: boolean;
    readonly acceptsGzip: boolean;
    readonly isHead: boolean;
  },
): void {
  const headers = {
    ...pageHeaders,
    // Names of assets contain their hash; the page itself must be checked each time, since a new version names other assets.
    'cache-control': how.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
  };
  if (how.isUnchanged) {
    res.writeHead(304, headers);
    res.end();
    return;
  }
  const content = how.acceptsGzip ? gzip : body;
  res.writeHead(200, {
    ...headers,
    'content-type': type,
    'content-length': content.length,
    ...(how.acceptsGzip && { 'content-encoding': 'gzip' }),
  });
  // HEAD has the headers of GET and no body.
  res.end(how.isHead ? undefined : content);
}
