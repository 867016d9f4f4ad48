import type { JsonObject } from '../../../core/json.js';
import { sendError, sendJson } from '../edge/respond.js';
import type { Route } from '../edge/route.js';

/** Entries of assistants for this gateway. */
interface ConnectAccess {
  list(): JsonObject;
  /** Undefined for an unknown assistant. */
  find(id: string, url: string): JsonObject | undefined;
}

/** Routes that show how assistants connect; they contain no token and write no file. */
export const connectRoutes = (connect: ConnectAccess, mcpUrl: (host: string) => string): readonly Route[] => [
  {
    method: 'GET',
    path: '/connect',
    auth: 'admin',
    doc: {
      summary: 'Assistants, and when each of them last called',
      responses: { 200: { description: 'The assistants' } },
    },
    handle: ({ res }) => sendJson(res, 200, connect.list()),
  },
  {
    method: 'GET',
    path: '/connect/{client}',
    auth: 'admin',
    doc: {
      summary: 'The entry of one assistant for this gateway, over stdio and HTTP; without a token',
      responses: { 200: { description: 'The entry' }, 404: { description: 'Unknown assistant' } },
    },
    handle({ req, res, params }) {
      const found = connect.find(params['client'] ?? '', mcpUrl(req.headers.host ?? ''));
      return found === undefined
        ? sendError(res, { code: 'not_found', message: 'Unknown assistant' })
        : sendJson(res, 200, found);
    },
  },
];
