import type { JsonObject } from '../../core/json.js';
import type { Principal } from '../../core/principal.js';
import { sendError, sendJson, sendProblem } from './respond.js';
import type { Exchange, Route } from './route.js';

/** Calls that wait for somebody's word. */
export interface Approvals {
  mayAnswer(principal: Principal): boolean;
  list(): Promise<readonly JsonObject[]>;
  get(id: string): Promise<JsonObject | undefined>;
  answer(
    id: string,
    approve: boolean,
    by: Principal,
  ): Promise<
    | { readonly ok: true; readonly ticket: JsonObject }
    | { readonly ok: false; readonly why: 'unknown' | 'decided' | 'own' }
  >;
}

const refusals = {
  unknown: [404, 'not_found', 'There is no such ticket, or it has expired'],
  decided: [409, 'decided', 'The ticket has been answered'],
  own: [
    403,
    'permission_denied',
    'Nobody approves their own call; let another operator answer, or give the caller a key of its own',
  ],
} as const;

/** The routes by which operators see and answer tickets. */
export function approvalRoutes(approvals: Approvals): readonly Route[] {
  const forApprovers =
    (handle: (exchange: Exchange) => Promise<void>) =>
    async (exchange: Exchange): Promise<void> => {
      if (!approvals.mayAnswer(exchange.principal))
        return sendError(exchange.res, {
          code: 'admin_required',
          message: 'This needs the approver or the admin role',
        });
      return handle(exchange);
    };
  const answer = (approve: boolean) =>
    forApprovers(async ({ res, principal, params }) => {
      const answered = await approvals.answer(params['id'] ?? '', approve, principal);
      if (answered.ok) return sendJson(res, 200, answered.ticket);
      const [status, type, message] = refusals[answered.why];
      return sendProblem(res, status, type, message);
    });
  const responses = {
    200: { description: 'The ticket' },
    403: { description: 'Not an approver, or the caller itself' },
    404: { description: 'No such ticket' },
    409: { description: 'Answered before' },
  };
  return [
    {
      method: 'GET',
      path: '/approvals',
      auth: 'principal',
      doc: {
        summary: 'Calls that wait for an operator, and those answered lately',
        responses: { 200: { description: 'The tickets' }, 403: { description: 'Not an approver' } },
      },
      handle: forApprovers(async ({ res }) => sendJson(res, 200, { approvals: await approvals.list() })),
    },
    {
      method: 'GET',
      path: '/approvals/{id}',
      auth: 'principal',
      doc: { summary: 'One ticket: who wants what, with which arguments, and why it is asked', responses },
      handle: forApprovers(async ({ res, params }) => {
        const found = await approvals.get(params['id'] ?? '');
        return found === undefined ? sendProblem(res, ...refusals.unknown) : sendJson(res, 200, found);
      }),
    },
    {
      method: 'POST',
      path: '/approvals/{id}/approve',
      auth: 'principal',
      doc: { summary: 'Let the call be made, once', responses },
      handle: answer(true),
    },
    {
      method: 'POST',
      path: '/approvals/{id}/deny',
      auth: 'principal',
      doc: { summary: 'Refuse the call', responses },
      handle: answer(false),
    },
  ];
}
