import type { Args, Door } from '../../core/call.js';
import type { Gateway } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { isAdmin } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import { sendError, sendJson } from './respond.js';
import type { Exchange, Route } from './route.js';

export interface ExplainRouteOptions {
  readonly gateway: Gateway;
  explain(supposed: {
    readonly principal: Principal;
    readonly tool: Tool;
    readonly args: Args;
    readonly via: Door;
  }): Promise<JsonObject>;
  /** A principal by its id. */
  known(id: string): Principal | undefined;
}

const doors: readonly string[] = ['stdio', 'http', 'rest', 'console', 'cli'] satisfies readonly Door[];

/** What would become of a call, and why; only administrators may ask for somebody else. */
export function explainRoute({ gateway, explain, known }: ExplainRouteOptions): Route {
  return {
    method: 'POST',
    path: '/explain',
    auth: 'principal',
    consumes: 'application/json',
    doc: {
      summary: 'Which rule would decide about a call, which almost would, and what would be asked or limited',
      request: {
        type: 'object',
        properties: {
          tool: { type: 'string' },
          args: { type: 'object' },
          as: { type: 'string', description: 'A principal id; administrators only' },
          door: { enum: [...doors] },
        },
        required: ['tool'],
      },
      responses: {
        200: { description: 'The explanation' },
        400: { description: 'The body does not say what is meant' },
        404: { description: 'No such tool for that principal' },
      },
    },
    async handle({ res, principal, body }: Exchange) {
      const asked = read(body);
      if (typeof asked === 'string') return sendError(res, { code: 'invalid_arguments', message: asked });
      const { tool: name, args, as, door } = asked;
      if (as !== undefined && as !== principal.id && !isAdmin(principal))
        return sendError(res, { code: 'admin_required', message: 'Only administrators may ask for somebody else' });
      const who = as === undefined || as === principal.id ? principal : known(as);
      if (who === undefined)
        return sendError(res, { code: 'invalid_arguments', message: 'No principal is known by that id' });
      const tool = gateway.statuses({ principal: who }).find(({ tool: each }) => each.name === name)?.tool;
      // Unknown and hidden read the same here as everywhere.
      if (tool === undefined) return sendError(res, { code: 'not_found', message: 'Tool not found/disabled' });
      return sendJson(res, 200, await explain({ principal: who, tool, args, via: door ?? 'rest' }));
    },
  };
}

interface Asked {
  readonly tool: string;
  readonly args: Args;
  readonly as?: string;
  readonly door?: Door;
}

function read(body: Buffer): Asked | string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return 'The body is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'The body must be a JSON object';
  const { tool, args = {}, as, door } = value as Record<string, unknown>;
  if (typeof tool !== 'string') return 'tool must be a name';
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'args must be an object';
  if (as !== undefined && typeof as !== 'string') return 'as must be a principal id';
  if (door !== undefined && (typeof door !== 'string' || !doors.includes(door)))
    return `door must be one of ${doors.join(', ')}`;
  // Each field has just been looked at, and the arguments came out of JSON.
  return {
    tool,
    args: args as Args,
    ...(as !== undefined && { as }),
    ...(door !== undefined && { door: door as Door }),
  };
}
