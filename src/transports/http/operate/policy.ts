import type { JsonObject } from '../../../core/json.js';
import { decodeArguments } from '../../../wire/json-arguments.js';
import { sendError, sendJson } from '../edge/respond.js';
import type { Route } from '../edge/route.js';

/** Rules of the active configuration, and drafts of others. */
interface PolicyAccess {
  rules(): JsonObject;
  /** Decides recorded calls by draft rules without installing them; a text is the problem with the draft. */
  replay(draft: string, calls: number): Promise<JsonObject | string>;
}

/** Bound of one replay, which decides every call anew. */
const mostReplayed = 5_000;

/** Routes about policy, for administrators. */
export function policyRoutes(policy: PolicyAccess): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/policy',
      auth: 'admin',
      doc: {
        summary: 'The rules in their order, with the number of calls that each refused or held since the start',
        responses: { 200: { description: 'The rules' } },
      },
      handle: ({ res }) => sendJson(res, 200, policy.rules()),
    },
    {
      method: 'POST',
      path: '/policy/replay',
      auth: 'admin',
      consumes: 'application/json',
      doc: {
        summary: 'What draft rules would decide about recorded calls; nothing is installed and nothing runs',
        request: {
          type: 'object',
          properties: {
            draft: { type: 'string', description: 'policy.rules as YAML or JSON' },
            calls: { type: 'integer', maximum: mostReplayed },
          },
          required: ['draft'],
        },
        responses: {
          200: { description: 'Counts and the calls that change' },
          400: { description: 'The draft is invalid' },
        },
      },
      async handle({ res, body }) {
        const decoded = decodeArguments(body, 'The body');
        if ('error' in decoded) return sendError(res, decoded.error);
        const { draft, calls = 500 } = decoded.args;
        if (typeof draft !== 'string' || typeof calls !== 'number' || !(calls >= 1 && calls <= mostReplayed))
          return sendError(res, {
            code: 'invalid_arguments',
            message: `draft must be a text and calls at most ${mostReplayed}`,
          });
        // A fraction would reach the journal reader as a limit.
        const result = await policy.replay(draft, Math.floor(calls));
        return typeof result === 'string'
          ? sendError(res, { code: 'invalid_arguments', message: result })
          : sendJson(res, 200, result);
      },
    },
  ];
}
