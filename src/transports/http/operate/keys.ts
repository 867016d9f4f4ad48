import type { JsonObject } from '../../../core/json.js';
import type { Principal } from '../../../core/principal.js';
import { decodeArguments } from '../../../wire/json-arguments.js';
import { doorOf } from '../edge/door-of.js';
import { sendEmpty, sendError, sendJson, sendProblem } from '../edge/respond.js';
import type { Route } from '../edge/route.js';

/** Keys of callers and sessions of the console. */
interface KeyAccess {
  list(): JsonObject;
  /** Undefined if the name is taken; a text is the problem with the request. */
  create(request: JsonObject, by: Principal, door: 'console' | 'rest'): Promise<JsonObject | string | undefined>;
  revoke(name: string, by: Principal, door: 'console' | 'rest'): Promise<boolean>;
}

/** Routes to list, create and revoke keys; a key is shown once, in the answer that creates it. */
export function keyRoutes(keys: KeyAccess): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/keys',
      auth: 'admin',
      doc: {
        summary: 'Keys and console sessions, without their secrets',
        responses: { 200: { description: 'The keys' } },
      },
      handle: ({ res }) => sendJson(res, 200, keys.list()),
    },
    {
      method: 'POST',
      path: '/keys',
      auth: 'admin',
      consumes: 'application/json',
      doc: {
        summary: 'Create a key; it is shown in this answer only',
        request: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            roles: { type: 'array', items: { type: 'string' } },
            profile: { type: 'string' },
            days: { type: 'integer', description: 'Days until it expires' },
          },
          required: ['name'],
        },
        responses: {
          201: { description: 'The key' },
          400: { description: 'Invalid' },
          409: { description: 'The name is taken' },
        },
      },
      async handle({ req, res, principal, body }) {
        const decoded = decodeArguments(body, 'The body');
        if ('error' in decoded) return sendError(res, decoded.error);
        const made = await keys.create(
          // Validated by `create`, which both the console and scripts use.
          decoded.args as JsonObject,
          principal,
          doorOf(req) === 'console' ? 'console' : 'rest',
        );
        // 409 instead of replacing: a key in use must not change under its users.
        if (made === undefined) return sendProblem(res, 409, 'conflict', 'A key of this name exists; revoke it first');
        if (typeof made === 'string') return sendError(res, { code: 'invalid_arguments', message: made });
        return sendJson(res, 201, made);
      },
    },
    {
      method: 'DELETE',
      path: '/keys/{name}',
      auth: 'admin',
      doc: {
        summary: 'Revoke a key by its name, or a console session by its id',
        responses: { 204: { description: 'Revoked' }, 404: { description: 'Unknown key' } },
      },
      handle: async ({ req, res, principal, params }) =>
        (await keys.revoke(params['name'] ?? '', principal, doorOf(req) === 'console' ? 'console' : 'rest'))
          ? sendEmpty(res, 204)
          : sendError(res, { code: 'not_found', message: 'Unknown key or session' }),
    },
  ];
}
