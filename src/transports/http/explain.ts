import type { Args, Door } from '../../core/call.js';
import type { Gateway } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { isAdmin } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import { decodeArguments } from '../../wire/json-arguments.js';
import { sendError, sendJson } from './respond.js';
import type { HttpContext, Route } from './route.js';

/** Dependencies of the explain route. */
export interface ExplainRouteOptions {
  readonly gateway: Gateway;
  explain(hypothetical: {
    readonly principal: Principal;
    readonly tool: Tool;
    readonly args: Args;
    readonly via: Door;
    readonly showsAllRules: boolean;
  }): Promise<JsonObject>;
  /** Finds a principal by id. */
  findPrincipal(id: string): Principal | undefined;
}

/** Values of `door`; policy conditions can distinguish the transports. */
const knownDoors: readonly string[] = ['stdio', 'http', 'rest', 'console', 'cli'] satisfies readonly Door[];

/** Explains what policy would decide about a call; only administrators may ask on behalf of another principal. */
export function explainRoute({ gateway, explain, findPrincipal }: ExplainRouteOptions): Route {
  return {
    method: 'POST',
    path: '/explain',
    auth: 'principal',
    consumes: 'application/json',
    doc: {
      summary: 'Which rule would decide a call, which rules nearly matched, and which approvals or limits apply',
      request: {
        type: 'object',
        properties: {
          tool: { type: 'string' },
          args: { type: 'object' },
          as: { type: 'string', description: 'A principal id; administrators only' },
          door: { enum: [...knownDoors] },
        },
        required: ['tool'],
      },
      responses: {
        200: { description: 'The explanation' },
        400: { description: 'The body is invalid' },
        404: { description: 'Unknown tool for that principal' },
      },
    },
    async handle({ res, principal, body }: HttpContext) {
      const decoded = decodeArguments(body, 'The body');
      if ('error' in decoded) return sendError(res, decoded.error);
      const request = parseExplainRequest(decoded.args);
      if (typeof request === 'string') return sendError(res, { code: 'invalid_arguments', message: request });
      const { tool: name, args, as, door } = request;
      if (as !== undefined && as !== principal.id && !isAdmin(principal))
        return sendError(res, {
          code: 'admin_required',
          message: 'Only administrators may explain calls of another principal',
        });
      const subject = as === undefined || as === principal.id ? principal : findPrincipal(as);
      if (subject === undefined)
        return sendError(res, { code: 'invalid_arguments', message: 'Unknown principal id in as' });
      const tool = gateway.statuses({ principal: subject }).find(({ tool: each }) => each.name === name)?.tool;
      // Unknown and hidden tools give the same error, so that hidden tools cannot be enumerated.
      if (tool === undefined) return sendError(res, { code: 'not_found', message: 'Tool not found/disabled' });
      return sendJson(
        res,
        200,
        await explain({ principal: subject, tool, args, via: door ?? 'rest', showsAllRules: isAdmin(principal) }),
      );
    },
  };
}

interface ExplainRequest {
  readonly tool: string;
  readonly args: Args;
  readonly as?: string;
  readonly door?: Door;
}

/** Validates the body; returns the error message as a string. */
function parseExplainRequest({ tool, args = {}, as, door }: JsonObject): ExplainRequest | string {
  if (typeof tool !== 'string') return 'tool must be a name';
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'args must be an object';
  if (as !== undefined && typeof as !== 'string') return 'as must be a principal id';
  if (door !== undefined && (typeof door !== 'string' || !knownDoors.includes(door)))
    return `door must be one of ${knownDoors.join(', ')}`;
  // Every field was checked above, and the arguments were parsed from JSON.
  return {
    tool,
    args: args as Args,
    ...(as !== undefined && { as }),
    ...(door !== undefined && { door: door as Door }),
  };
}
