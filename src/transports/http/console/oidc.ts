import type { JsonObject } from '../../../core/json.js';
import { tokenBucket } from '../../../lib/token-bucket.js';
import { decodeArguments } from '../../../wire/json-arguments.js';
import { sendEmpty, sendError, sendJson, sendProblem } from '../edge/respond.js';
import type { HttpContext, Route } from '../edge/route.js';

/** Logins at issuers, as the routes need them. */
interface IssuerLogins {
  names(): readonly string[];
  begin(name: string, redirectUri: string, binding: string): Promise<{ readonly url: string } | string>;
  /** A one-time code for the console, or the problem. */
  finish(answer: URLSearchParams): Promise<{ readonly code: string } | { readonly problem: string }>;
}

/** Each start makes a request to the issuer, so that attempts are bounded per peer. */
const startsPerMinute = 10;
/** Fixed path: issuers compare redirect URIs exactly. */
const callbackPath = '/console/callback';

/** Routes by which people log in at an issuer; they end in the same one-time code as `toolgate console`. */
export function issuerLoginRoutes(
  logins: IssuerLogins,
  isOn: () => boolean,
  ownOrigin: (host: string) => string,
): readonly Route[] {
  const attempts = tokenBucket({ maxKeys: 10_000 });
  return [
    {
      method: 'GET',
      path: '/console/login',
      auth: 'open',
      doc: {
        summary: 'Names of the issuers at which people can log in to the console',
        responses: { 200: { description: 'The names' } },
      },
      // Names only, without URLs: they are shown to everyone who can reach the page.
      handle: ({ res }) => sendJson(res, 200, { issuers: isOn() ? logins.names() : [] } satisfies JsonObject),
    },
    {
      method: 'POST',
      path: '/console/login/{issuer}',
      auth: 'open',
      consumes: 'application/json',
      doc: {
        summary: 'Begin a login at an issuer; `binding` is the SHA-256 of a secret that only the browser tab has',
        request: { type: 'object', properties: { binding: { type: 'string' } }, required: ['binding'] },
        responses: {
          200: { description: 'Address of the login page of the issuer' },
          404: { description: 'Unknown issuer' },
          429: { description: 'Too many attempts' },
          503: { description: 'The issuer cannot be reached' },
        },
      },
      async handle({ req, res, params, body, peer }) {
        if (!isOn()) return sendError(res, { code: 'not_found', message: 'The console is off' });
        if (!attempts.take(peer, startsPerMinute).ok)
          return sendProblem(res, 429, 'rate_limited', 'Too many login attempts; wait a minute', {
            'retry-after': '60',
          });
        const decoded = decodeArguments(body, 'The body');
        if ('error' in decoded) return sendError(res, decoded.error);
        const { binding } = decoded.args;
        // 43 characters of Base64url are 32 bytes; anything else is no SHA-256.
        if (typeof binding !== 'string' || !/^[\w-]{43}$/.test(binding))
          return sendError(res, { code: 'invalid_arguments', message: 'binding must be a SHA-256 in base64url' });
        // The Host header was checked before, so a foreign site cannot redirect the login to itself.
        const redirectUri = `${ownOrigin(req.headers.host ?? '')}${callbackPath}`;
        const begun = await logins.begin(params['issuer'] ?? '', redirectUri, binding);
        if (typeof begun !== 'string') return sendJson(res, 200, { url: begun.url });
        return begun === 'unknown_issuer'
          ? sendError(res, { code: 'not_found', message: 'Unknown issuer' })
          : sendProblem(res, 503, 'unavailable', 'The issuer cannot be reached; try again, or log in with a key');
      },
    },
    {
      method: 'GET',
      path: callbackPath,
      auth: 'open',
      doc: {
        summary:
          'Return from the login page of an issuer; redirects to the console with a one-time code in the fragment',
        responses: { 303: { description: 'To the console' } },
      },
      async handle({ res, query }: HttpContext) {
        const result = isOn() ? await logins.finish(query) : { problem: 'expired' };
        // The fragment is sent to no server, and the referrer must not carry the code of the issuer.
        const to = 'code' in result ? `/console#${result.code}` : `/console?login=${result.problem}`;
        return sendEmpty(res, 303, { location: to, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      },
    },
  ];
}
