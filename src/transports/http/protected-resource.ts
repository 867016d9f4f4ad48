import type { JsonObject } from '../../core/json.js';
import { sendJson, sendProblem } from './respond.js';
import type { Route } from './route.js';

/** Where OAuth clients learn who makes tokens for this gateway; open, since they have none yet. */
export function protectedResourceRoutes(
  paths: readonly string[],
  metadata: () => JsonObject | undefined,
): readonly Route[] {
  return paths.map((path): Route => ({
    method: 'GET',
    path,
    auth: 'open',
    doc: {
      summary: 'Who makes tokens for this gateway (RFC 9728)',
      responses: {
        200: { description: 'The metadata' },
        404: { description: 'No authorization server is configured' },
      },
    },
    handle({ res }) {
      const found = metadata();
      return found === undefined
        ? sendProblem(res, 404, 'no_such_route', 'No authorization server is configured')
        : sendJson(res, 200, found);
    },
  }));
}
