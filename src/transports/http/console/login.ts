import type { JsonObject } from '../../../core/json.js';
import type { ConsoleLogin } from '../../../core/console-login.js';
import { tokenBucket } from '../../../lib/token-bucket.js';
import { decodeArguments } from '../../../wire/json-arguments.js';
import { sendEmpty, sendError, sendJson, sendProblem } from '../edge/respond.js';
import type { HttpContext, Route } from '../edge/route.js';

/** Attempts per minute and peer. Codes have 256 bits, so this only bounds the work and the log. */
const attemptsPerMinute = 5;

/** Routes by which a browser gets its session; `isOn` is asked for each request. */
export function consoleLoginRoutes(login: ConsoleLogin, isOn: () => boolean): readonly Route[] {
  // Bounded keys: an attacker with many addresses must not grow the table.
  const attempts = tokenBucket({ maxKeys: 10_000 });
  const whileOn =
    (handle: (context: HttpContext) => void | Promise<void>) =>
    (context: HttpContext): void | Promise<void> =>
      isOn() ? handle(context) : sendOff(context);

  return [
    {
      method: 'POST',
      path: '/console/code',
      auth: 'principal',
      doc: {
        summary: 'A one-time code that opens a console session of the caller in a browser; valid for one minute',
        responses: {
          200: { description: 'The code' },
          403: { description: 'Without a credential there is no session' },
          404: { description: 'The console is off' },
        },
      },
      handle: whileOn(({ req, res, principal }) => {
        // Without a credential there is nothing that the session could represent.
        if (principal.kind === 'anonymous')
          return sendError(res, { code: 'permission_denied', message: 'Log in with a key; see toolgate token create' });
        // The credential is bound to the code: a revoked key also ends sessions that it opened.
        const issued = login.issueCode(principal, req.headers.authorization);
        // Pending codes are bounded; they expire within a minute.
        if (issued === undefined)
          return sendProblem(res, 503, 'busy', 'Too many codes are waiting to be used', { 'retry-after': '60' });
        return sendJson(res, 200, { code: issued.code, expires: new Date(issued.expiresAt).toISOString() });
      }),
    },
    {
      method: 'POST',
      path: '/console/session',
      auth: 'open',
      consumes: 'application/json',
      doc: {
        summary: 'Exchange a one-time code for a console token',
        request: {
          type: 'object',
          properties: { code: { type: 'string' }, secret: { type: 'string' } },
          required: ['code'],
        },
        responses: {
          200: { description: 'The token, its expiry and its principal' },
          401: { description: 'Unknown, used or expired code' },
          404: { description: 'The console is off' },
          429: { description: 'Too many attempts' },
        },
      },
      handle: whileOn(({ res, body, peer }) => {
        // Before the body is read, so that rejected attempts cost little.
        if (!attempts.take(peer, attemptsPerMinute).ok)
          return sendProblem(res, 429, 'rate_limited', 'Too many login attempts; wait a minute', {
            'retry-after': '60',
          });
        const decoded = decodeArguments(body, 'The body');
        if ('error' in decoded) return sendError(res, decoded.error);
        // The secret proves that the browser which started the login also ends it.
        const { code, secret } = decoded.args;
        const session =
          typeof code === 'string' && code !== ''
            ? login.openSession(code, typeof secret === 'string' ? secret : undefined)
            : undefined;
        // One answer for all three cases, so that codes cannot be probed.
        if (session === undefined)
          return sendProblem(
            res,
            401,
            'unauthorized',
            'The code is unknown, was used or has expired; run toolgate console again',
          );
        const { token, expires, principal } = session;
        return sendJson(res, 200, { token, expires, principal: principal.id } satisfies JsonObject);
      }),
    },
    {
      method: 'DELETE',
      path: '/console/session',
      auth: 'principal',
      doc: {
        summary: 'End the console session of this token',
        responses: { 204: { description: 'Ended' }, 400: { description: 'Not a console token' } },
      },
      handle: ({ req, res, principal }) =>
        login.closeSession(req.headers.authorization, principal)
          ? sendEmpty(res, 204)
          : sendProblem(res, 400, 'bad_request', 'The credential is not a console token'),
    },
  ];
}

/** The console is switched off: answered like an unknown route, with the setting that opens it. */
const sendOff = ({ res }: HttpContext): void =>
  sendProblem(
    res,
    404,
    'no_such_route',
    'The console is off; set server.console: true, or configure keys or auth.issuers',
  );
