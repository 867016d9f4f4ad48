import type { JsonObject } from '../../core/json.js';
import { sendJson, sendProblem, sendUnknownRoute } from './edge/respond.js';
import type { Route } from './edge/route.js';

/** The resource that the metadata describes. */
export interface Resource {
  readonly metadata?: JsonObject;
  /** Path of its public URL. */
  readonly path?: string;
}

/**
 * OAuth protected-resource metadata (RFC 9728): names the authorization server; open, because clients have no token yet. Served under
 * the local paths and under the path of the public URL: clients behind a proxy with a path prefix only know the latter.
 */
export function protectedResourceRoutes(
  wellKnown: string,
  localPaths: readonly string[],
  resource: () => Resource,
): readonly Route[] {
  const local = localPaths.map((path): Route => ({
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
      const { metadata } = resource();
      return metadata === undefined
        ? sendProblem(res, 404, 'no_such_route', 'No authorization server is configured')
        : sendJson(res, 200, metadata);
    },
  }));
  const behindPrefix: Route = {
    method: 'GET',
    path: `${wellKnown}/{*path}`,
    auth: 'open',
    handle({ res, params }) {
      const { metadata, path } = resource();
      const asked = `/${params['path'] ?? ''}`;
      return metadata === undefined || path === undefined || !isBelow(asked, path)
        ? sendUnknownRoute(res)
        : sendJson(res, 200, metadata);
    },
  };
  return [...local, behindPrefix];
}

/** Whether a path is that of the resource, or of a profile below it. */
function isBelow(asked: string, path: string): boolean {
  const base = path.replace(/\/$/, '');
  const rest = asked.startsWith(base) ? asked.slice(base.length) : undefined;
  return rest !== undefined && /^(?:\/|\/p\/[^/]+)?$/.test(rest);
}
