import type { JsonObject } from '../../../core/json.js';
import { sendError, sendJson } from '../edge/respond.js';
import type { Route } from '../edge/route.js';

/** What policy decides about a tool for each known principal. */
export const toolAccessRoute = (accessTo: (tool: string) => readonly JsonObject[] | undefined): Route => ({
  method: 'GET',
  path: '/tools/{name}/access',
  auth: 'admin',
  doc: {
    summary: 'Who may call a tool: allow, confirm, deny or hidden for each known principal, with the rule',
    responses: { 200: { description: 'One line per principal' }, 404: { description: 'Unknown tool' } },
  },
  handle({ res, params }) {
    const found = accessTo(params['name'] ?? '');
    return found === undefined
      ? sendError(res, { code: 'not_found', message: 'Tool not found/disabled' })
      : sendJson(res, 200, { principals: found });
  },
});
