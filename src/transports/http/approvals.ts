import type { Approvals } from '../../core/approvals.js';
import type { ToolError } from '../../core/errors.js';
import { decodeArguments } from '../../wire/json-arguments.js';
import { doorOf } from './edge/door-of.js';
import { sendError, sendJson, sendProblem } from './edge/respond.js';
import type { HttpContext, Route } from './edge/route.js';

/** HTTP status, error type and message of answers that were not accepted. */
const answerErrors = {
  unknown: [404, 'not_found', 'Unknown or expired ticket'],
  decided: [409, 'decided', 'The ticket has already been answered'],
  own: [
    403,
    'permission_denied',
    'You cannot approve your own calls; ask another operator, or give the caller a separate key',
  ],
} as const;

/** Longest reason of a denial; it is shown to the caller and to a model. */
const longestReason = 500;

/** The reason in the body of a denial; an empty body has none. */
function denyReason(body: Buffer): string | undefined | { readonly error: ToolError } {
  if (body.length === 0) return undefined;
  const decoded = decodeArguments(body, 'The body');
  if ('error' in decoded) return decoded;
  const { reason } = decoded.args;
  if (reason === undefined || reason === '') return undefined;
  if (typeof reason !== 'string' || reason.length > longestReason)
    return {
      error: { code: 'invalid_arguments', message: `reason must be a text of at most ${longestReason} characters` },
    };
  return reason;
}

/** Routes for operators to list and answer approval tickets. */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  /** Restricts a handler to principals with the approver or admin role. */
  const forApprovers =
    (handle: (context: HttpContext) => Promise<void>) =>
    async (context: HttpContext): Promise<void> => {
      // Checked by role before the ticket is looked up, so that ids cannot be probed.
      if (!approvals.mayAnswer(context.principal))
        return sendError(context.res, {
          code: 'admin_required',
          message: 'Requires the approver or admin role',
        });
      return handle(context);
    };
  /** Handler that approves or denies one ticket. */
  const answer = (approve: boolean) =>
    forApprovers(async ({ req, res, principal, params, body }) => {
      const reason = approve ? undefined : denyReason(body);
      if (typeof reason === 'object') return sendError(res, reason.error);
      // The door is recorded in the audit: a decision in the console and one by script differ.
      const result = await approvals.answer(params['id'] ?? '', approve, principal, {
        door: doorOf(req),
        ...(reason !== undefined && { reason }),
      });
      if (result.ok) return sendJson(res, 200, result.ticket);
      const [status, type, message] = answerErrors[result.why];
      return sendProblem(res, status, type, message);
    });
  const responses = {
    200: { description: 'The ticket' },
    403: { description: 'Not an approver, or the own call' },
    404: { description: 'Unknown ticket' },
    409: { description: 'Already answered' },
  };
  return [
    {
      method: 'GET',
      path: '/approvals',
      auth: 'principal',
      doc: {
        summary: 'Calls that wait for approval, and recently answered ones',
        responses: { 200: { description: 'The tickets' }, 403: { description: 'Not an approver' } },
      },
      handle: forApprovers(async ({ res }) => sendJson(res, 200, { approvals: await approvals.list() })),
    },
    {
      method: 'GET',
      path: '/approvals/{id}',
      auth: 'principal',
      doc: {
        summary:
          'One ticket: caller, tool, arguments, and the rule that requires approval; ?whole=true adds arguments_whole',
        responses,
      },
      handle: forApprovers(async ({ res, params, query }) => {
        const found = await approvals.get(params['id'] ?? '', query.get('whole') === 'true');
        return found === undefined ? sendProblem(res, ...answerErrors.unknown) : sendJson(res, 200, found);
      }),
    },
    {
      method: 'POST',
      path: '/approvals/{id}/approve',
      auth: 'principal',
      doc: { summary: 'Approve the call, once', responses },
      handle: answer(true),
    },
    {
      method: 'POST',
      path: '/approvals/{id}/deny',
      auth: 'principal',
      consumes: 'application/json',
      doc: {
        summary: 'Deny the call; the reason is shown to the caller',
        request: { type: 'object', properties: { reason: { type: 'string', maxLength: longestReason } } },
        responses,
      },
      handle: answer(false),
    },
  ];
}
