import type { Args, Door } from '../../core/call.js';
import type { Gateway, View } from '../../core/gateway.js';
import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { isAdmin } from '../../core/principal.js';
import type { Tool } from '../../core/tool.js';
import { decodeArguments } from '../../wire/json-arguments.js';
import { sendError, sendJson } from './edge/respond.js';
import type { HttpContext, Route } from './edge/route.js';

/** Dependencies of the explain route. */
interface ExplainRouteOptions {
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
  /** Why a view does not list a tool; shown to administrators only. */
  whyHidden(view: View, tool: string): string;
}

/** Values of `door`; policy conditions can distinguish the transports. */
const knownDoors: readonly string[] = ['stdio', 'http', 'rest', 'console', 'cli'] satisfies readonly Door[];

/** Explains what policy would decide about a call; only administrators may ask on behalf of another principal. */
export function explainRoute({ gateway, explain, findPrincipal, whyHidden }: ExplainRouteOptions): Route {
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
          roles: {
            type: 'array',
            items: { type: 'string' },
            description: 'Roles of a principal that only its issuer can identify; administrators only',
          },
          profile: { type: 'string' },
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
      const { tool: name, args, as, door, roles, profile } = request;
      // Rules about others are information about others.
      if (as !== undefined && as !== principal.id && !isAdmin(principal))
        return sendError(res, {
          code: 'admin_required',
          message: 'Only administrators may explain calls of another principal',
        });
      const subject =
        // A principal of an issuer exists only while its token is presented, so that its roles must be given.
        as === undefined || as === principal.id ? principal : (findPrincipal(as) ?? hypotheticalPrincipal(as, roles));
      if (subject === undefined)
        return sendError(res, {
          code: 'invalid_arguments',
          message: 'Unknown principal id in as; with roles it may be one of an issuer',
        });
      const view = { principal: subject, ...(profile !== undefined && { profile }) };
      const tool = gateway.statuses(view).find(({ tool: each }) => each.name === name)?.tool;
      if (tool === undefined && isAdmin(principal))
        return sendJson(res, 200, { decision: 'hidden', message: whyHidden(view, name) });
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

/** A validated request. */
interface ExplainRequest {
  readonly tool: string;
  readonly args: Args;
  readonly as?: string;
  readonly door?: Door;
  readonly roles?: readonly string[];
  readonly profile?: string;
}

/** Validates the body; returns the error message as a string. */
function parseExplainRequest({ tool, args = {}, as, door, roles, profile }: JsonObject): ExplainRequest | string {
  if (typeof tool !== 'string') return 'tool must be a name';
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'args must be an object';
  if (as !== undefined && typeof as !== 'string') return 'as must be a principal id';
  if (profile !== undefined && typeof profile !== 'string') return 'profile must be a name';
  if (roles !== undefined && !isNames(roles)) return 'roles must be a list of names';
  if (door !== undefined && (typeof door !== 'string' || !knownDoors.includes(door)))
    return `door must be one of ${knownDoors.join(', ')}`;
  // Every field was checked above, and the arguments were parsed from JSON.
  return {
    tool,
    args: args as Args,
    ...(as !== undefined && { as }),
    ...(door !== undefined && { door: door as Door }),
    ...(roles !== undefined && { roles }),
    ...(profile !== undefined && { profile }),
  };
}

/** Whether a value is a list of texts. */
const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** A principal that only its issuer can identify, with the roles it is supposed to have; nothing is run as it. */
export const hypotheticalPrincipal = (id: string, roles: readonly string[] | undefined): Principal | undefined =>
  roles === undefined ? undefined : { id, name: id, kind: id.startsWith('jwt:') ? 'jwt' : 'token', roles };
