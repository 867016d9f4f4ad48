import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { sendError, sendJson, sendProblem } from './respond.js';
import type { HttpContext, Route } from './route.js';

/** Access to approval tickets: calls that wait for an operator. */
export interface Approvals {
  mayAnswer(principal: Principal): boolean;
  list(): Promise<readonly JsonObject[]>;
  /** With `whole`, all of the arguments, however long. */
  get(id: string, whole: boolean): Promise<JsonObject | undefined>;
  answer(
    id: string,
    approve: boolean,
    by: Principal,
  ): Promise<
    | { readonly ok: true; readonly ticket: JsonObject }
    | { readonly ok: false; readonly why: 'unknown' | 'decided' | 'own' }
  >;
}

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

/** Routes for operators to list and answer approval tickets. */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  /** Restricts a handler to principals with the approver or admin role. */
  const forApprovers =
    (handle: (context: HttpContext) => Promise<void>) =>
    async (context: HttpContext): Promise<void> => {
      if (!approvals.mayAnswer(context.principal))
        return sendError(context.res, {
          code: 'admin_required',
          message: 'Requires the approver or admin role',
        });
      return handle(context);
    };
  /** Handler that approves or denies one ticket. */
  const answer = (approve: boolean) =>
    forApprovers(async ({ res, principal, params }) => {
      const result = await approvals.answer(params['id'] ?? '', approve, principal);
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
      doc: { summary: 'Deny the call', responses },
      handle: answer(false),
    },
  ];
}
