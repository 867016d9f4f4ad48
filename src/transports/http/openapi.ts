import type { Gateway, Identity } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { sendJson } from './edge/respond.js';
import { executeHeaders } from './rest.js';
import type { Route } from './edge/route.js';
import { envelopeSchema, errorSchema } from './schemas.js';

/** Serves an OpenAPI 3.1 description of all documented routes and of the tools the caller may run. */
export function openApiRoute(gateway: Gateway, identity: Identity, routes: () => readonly Route[]): Route {
  return {
    method: 'GET',
    path: '/openapi.json',
    auth: 'principal',
    doc: { summary: 'This description', responses: { 200: { description: 'OpenAPI 3.1' } } },
    // Built per request, since tools change at run time.
    handle: ({ res, principal }) => sendJson(res, 200, toOpenApi(gateway, identity, routes(), principal)),
  };
}

/** Builds the document per caller: it lists only tools that the caller may run. */
function toOpenApi(gateway: Gateway, identity: Identity, routes: readonly Route[], principal: Principal): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    // Routes without `doc` are internal.
    if (route.doc === undefined) continue;
    (paths[route.path] ??= {})[route.method.toLowerCase()] = toOperation(route, route.doc);
  }
  // One path per tool gives code generators typed arguments.
  for (const tool of gateway.tools({ principal })) {
    paths[`/tools/${tool.name}/execute`] = {
      post: {
        operationId: `execute_${tool.name}`,
        summary: tool.title ?? tool.name,
        description: tool.description,
        parameters: headerParameters(executeHeaders),
        requestBody: { content: { 'application/json': { schema: tool.input.schema } } },
        responses: {
          200: { description: 'The tool ran', content: { 'application/json': { schema: envelopeSchema } } },
          default: {
            description: 'The call failed; see POST /tools/{name}/execute for the reasons',
            content: { 'application/json': { schema: envelopeSchema } },
          },
        },
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: identity.title, version: identity.version },
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths,
  };
}

/** OpenAPI parameters of optional request headers. */
const headerParameters = (headers: Readonly<Record<string, string>>): readonly JsonObject[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));

/** OpenAPI operation of one route; adds the path parameters and the responses of authentication. */
function toOperation(route: Route, doc: NonNullable<Route['doc']>): JsonObject {
  const parameters = [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map((match) => ({
      name: match[1] ?? '',
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...headerParameters(doc.headers ?? {}),
  ];
  const responses: Record<string, JsonObject> = {};
  for (const [status, { description, schema, type }] of Object.entries(doc.responses)) {
    responses[status] = {
      description,
      ...((schema ?? type) && { content: { [type ?? 'application/json']: { schema: schema ?? { type: 'string' } } } }),
    };
  }
  if (route.auth !== 'open' && route.auth !== 'optional')
    responses['401'] = { description: 'No valid credential', content: { 'application/json': { schema: errorSchema } } };
  if (route.auth === 'admin')
    responses['403'] = {
      description: 'Needs the admin role',
      content: { 'application/json': { schema: errorSchema } },
    };
  return {
    summary: doc.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(doc.request && { requestBody: { content: { 'application/json': { schema: doc.request } } } }),
    responses,
    // An empty list overrides the global requirement of a token.
    ...((route.auth === 'open' || route.auth === 'optional') && { security: [] }),
  };
}
