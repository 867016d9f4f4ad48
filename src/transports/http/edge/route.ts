import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../../core/principal.js';
import type { JsonObject } from '../../../core/json.js';

/** Required credential. `optional` routes serve anonymous requests and show more with a credential. */
export type RouteAuth = 'open' | 'optional' | 'principal' | 'admin';

/** One HTTP request as its route handler gets it: authenticated, with the body read within the size limit. */
export interface HttpContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** `anonymous` on `open` routes, and on `optional` ones without a credential. */
  readonly principal: Principal;
  /** Address of the client, also behind a trusted proxy; `local` on a Unix socket. */
  readonly peer: string;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Aborts when the connection closes, before or after the response. */
  readonly signal: AbortSignal;
}

/** One REST or MCP route; the listener has checked its credential and media type before `handle` runs. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path pattern; segments in braces are parameters: `/tools/{name}/execute`; `{*rest}` at the end takes all that follow. */
  readonly path: string;
  readonly auth: RouteAuth;
  /** Required media type; the body is read only if this is set. */
  readonly consumes?: 'application/json';
  /** Description for `/openapi.json`; routes without one are omitted there. */
  readonly doc?: {
    readonly summary: string;
    readonly request?: JsonObject;
    readonly headers?: Readonly<Record<string, string>>;
    readonly responses: Readonly<
      Record<string, { readonly description: string; readonly schema?: JsonObject; readonly type?: string }>
    >;
  };
  handle(context: HttpContext): void | Promise<void>;
}

/** Principal of requests without a credential; has no roles. */
export const anonymous: Principal = { id: 'anonymous', name: 'anonymous', kind: 'anonymous', roles: [] };

type RouteMatch =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  | { readonly kind: 'none' };

interface CompiledRoute {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Matches exact paths by one map look-up, patterns segment by segment. */
export function router(routes: readonly Route[]): (method: string, pathname: string) => RouteMatch {
  const exact = new Map<string, Map<string, Route>>();
  const patterns: CompiledRoute[] = [];
  for (const route of routes) {
    if (route.path.includes('{')) {
      patterns.push({ route, segments: route.path.split('/') });
      continue;
    }
    const byMethod = exact.get(route.path) ?? new Map<string, Route>();
    byMethod.set(route.method, route);
    exact.set(route.path, byMethod);
  }

  return (method, pathname) => {
    const byMethod = exact.get(pathname);
    const route = byMethod?.get(method);
    if (route) return { kind: 'found', route, params: {} };
    // Collect the methods of all matching routes for the Allow header of a 405 response.
    const allow = byMethod ? [...byMethod.keys()] : [];
    const segments = pathname.split('/');
    for (const pattern of patterns) {
      const params = matchSegments(pattern.segments, segments);
      if (params === undefined) continue;
      if (pattern.route.method === method) return { kind: 'found', route: pattern.route, params };
      allow.push(pattern.route.method);
    }
    return allow.length === 0 ? { kind: 'none' } : { kind: 'method', allow };
  };
}

/** Path parameters if the segments match the pattern; undefined otherwise. */
function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const takesRest = pattern.at(-1)?.startsWith('{*') === true;
  if (takesRest ? segments.length < pattern.length : segments.length !== pattern.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const given = segments[index] ?? '';
    if (expected.startsWith('{*')) {
      // Not decoded: an encoded slash must not be taken for a real one.
      params[expected.slice(2, -1)] = segments.slice(index).join('/');
      continue;
    }
    if (!expected.startsWith('{')) {
      if (expected !== given) return undefined;
      continue;
    }
    const value = decodeSegment(given);
    if (value === undefined || value === '') return undefined;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

/** Percent-decodes one segment, after the path was split: an encoded slash cannot add segments (path traversal). */
function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
