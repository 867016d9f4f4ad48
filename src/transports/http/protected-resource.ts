import type { JsonObject } from '../../core/json.js';
import { sendJson, sendProblem } from './respond.js';
import type { Route } from './route.js';

/** OAuth protected-resource metadata (RFC 9728): names the authorization server; open, because clients have no token yet. */
export function protectedResourceRoutes(
  paths: readonly string[],
  metadata: () => JsonObject | undefined,
): readonly Route[] {
  return paths.map((path): Route => ({
    method: 'GET',
    path,
    auth: 'open',
    doc: {
      summary: 'OAuth protected-resource metadata (RFC 9728)',
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
