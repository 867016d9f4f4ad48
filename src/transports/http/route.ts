import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../core/principal.js';
import type { JsonObject } from '../../core/json.js';

/** Who may use a route. `optional` serves everyone and tells those with a credential more. */
export type RouteAuth = 'open' | 'optional' | 'principal' | 'admin';

/** One request on its way through a route; body, size and credential have been dealt with. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Nobody on `open` routes, and on `optional` ones without a credential. */
  readonly principal: Principal;
  readonly pathname: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Fires when the client's connection ends, be it before or after it was answered. */
  readonly signal: AbortSignal;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Segments in braces are parameters: `/tools/{name}/execute`. */
  readonly path: string;
  readonly auth: RouteAuth;
  /** Only this media type is taken; absent means that no body is expected. */
  readonly consumes?: 'application/json';
  /** How `/openapi.json` describes it; a route without is left out there. */
  readonly doc?: {
    readonly summary: string;
    readonly request?: JsonObject;
    readonly headers?: Readonly<Record<string, string>>;
    readonly responses: Readonly<
      Record<string, { readonly description: string; readonly schema?: JsonObject; readonly type?: string }>
    >;
  };
  handle(exchange: Exchange): void | Promise<void>;
}

/** The principal of requests that carry no credential; it may do nothing that asks for one. */
export const stranger: Principal = { id: 'stranger', name: 'stranger', kind: 'anonymous', roles: [] };

export type Match =
  | { readonly kind: 'found'; readonly route: Route; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  | { readonly kind: 'none' };

interface Compiled {
  readonly route: Route;
  readonly segments: readonly string[];
}

/** Finds routes: exact paths by one look-up, patterns by their segments. */
export function router(routes: readonly Route[]): (method: string, pathname: string) => Match {
  const exact = new Map<string, Map<string, Route>>();
  const patterns: Compiled[] = [];
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
    const allow = byMethod ? [...byMethod.keys()] : [];
    const segments = pathname.split('/');
    for (const pattern of patterns) {
      const params = fit(pattern.segments, segments);
      if (params === undefined) continue;
      if (pattern.route.method === method) return { kind: 'found', route: pattern.route, params };
      allow.push(pattern.route.method);
    }
    return allow.length === 0 ? { kind: 'none' } : { kind: 'method', allow };
  };
}

function fit(pattern: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const given = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== given) return undefined;
      continue;
    }
    const value = decoded(given);
    if (value === undefined || value === '') return undefined;
    params[expected.slice(1, -1)] = value;
  }
  return params;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
