import type { Call } from '../core/call.js';
import { deriveCall } from '../core/derive-call.js';
import type { ToolError } from '../core/errors.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Question } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import type { CallApprovals, ApprovalCheck, ApprovalRequirement } from '../guards/confirm.js';
import type { Redactor } from '../hostile-text/redact.js';
import type { LabelsOf } from './labels.js';
import type { Binding, Seals } from './seals.js';
import { bindingKey, bindingOf, isApprovalState } from './seals.js';
import type { Ticket, Tickets } from './tickets.js';
import type { ApprovalText } from './approval-text.js';
import { approvalText } from './approval-text.js';

export interface ApprovalCheckOptions {
  /** Opens the state at the first call that needs approval: most gateways never do. */
  readonly open: () => Promise<{ readonly seals: Seals; readonly tickets: Tickets }>;
  readonly labelsOf: LabelsOf;
  readonly redactor: Redactor;
  /** How long a form can be answered. */
  readonly answerMs: () => number;
  /** How long a call waits for an operator before it is refused with a ticket. */
  readonly waitMs: () => number;
  readonly now?: () => number;
}

/** Key of the approval form among the elicitation requests of a call. */
const questionName = 'toolgate_confirm';

const declined = (message: string, data?: JsonObject, hint?: string): ApprovalCheck => ({
  kind: 'refused',
  error: { code: 'declined', message, ...(hint !== undefined && { hint }), ...(data && { data }) },
});
const invalidConfirmation = (why: string): ApprovalCheck => ({
  kind: 'refused',
  error: {
    code: 'invalid_confirmation',
    message: 'The approval is for another call, was already used, or has expired',
    data: { why },
  },
});

/** Approval of exact calls: by a form in the client if it supports elicitation, else by an operator through a ticket. */
export function approvalCheck({
  open: books,
  labelsOf,
  redactor,
  answerMs,
  waitMs,
  now = Date.now,
}: ApprovalCheckOptions): CallApprovals {
  const describe = (call: Call, tool: Tool, demand: ApprovalRequirement): ApprovalText =>
    approvalText(call, tool, demand, labelsOf(tool), redactor);
  const question = (binding: Binding, seals: Seals, message: string): ApprovalCheck => {
    return {
      kind: 'ask',
      question: {
        asks: { [questionName]: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } },
        state: seals.seal({ kind: 'ask' }, binding, now() + answerMs()),
        otherwise: cannotElicit,
      },
    };
  };

  const answered = (
    call: Call,
    tool: Tool,
    demand: ApprovalRequirement,
    binding: Binding,
    seals: Seals,
  ): ApprovalCheck => {
    const { answers = {}, state = '' } = call.confirmation ?? {};
    if (!isApprovalState(state)) return invalidConfirmation('forged');
    const opened = seals.open(state, binding);
    if (!opened.ok) return invalidConfirmation(opened.why);
    if (opened.kind === 'carry')
      return seals.use(opened.nonce, opened.expiresAt)
        ? { kind: 'given', call: deriveCall(call, { confirmation: { answers, state: opened.inner ?? '' } }) }
        : invalidConfirmation('used');
    // A reload may have changed the rule to `confirm: operator`; the answer of the client no longer counts then.
    if (demand.by === 'operator') return invalidConfirmation('other call');
    const answer = Object.hasOwn(answers, questionName) ? answers[questionName] : undefined;
    if (answer === undefined) {
      const text = describe(call, tool, demand);
      return text.ok && text.message !== undefined
        ? question(binding, seals, text.message)
        : invalidConfirmation('other call');
    }
    if (!seals.use(opened.nonce, opened.expiresAt)) return invalidConfirmation('used');
    if (answer['action'] !== 'accept' || !isApproved(answer['content']))
      return declined('The user declined this call', { rule: demand.rules.join(', ') });
    return { kind: 'given', call: deriveCall(call, { confirmation: undefined }) };
  };

  const byTicket = async (
    call: Call,
    tool: Tool,
    demand: ApprovalRequirement,
    binding: Binding,
    tickets: Tickets,
    text: ApprovalText,
  ): Promise<ApprovalCheck> => {
    const settled = (ticket: Ticket | undefined): ApprovalCheck | undefined => {
      if (ticket?.status === 'denied')
        return declined('An operator denied this call', { rule: demand.rules.join(', '), ticket: ticket.id });
      if (ticket?.status !== 'approved' || !tickets.redeem(ticket)) return undefined;
      return { kind: 'given', call: deriveCall(call, { confirmation: undefined }) };
    };
    if (call.ticket !== undefined) {
      // A ticket of another principal, of another call and an expired one get the same response: guessing ids reveals nothing.
      const named = tickets.get(call.ticket);
      if (named?.binding !== bindingKey(binding))
        return invalidConfirmation(named === undefined ? 'expired' : 'other call');
    }
    const known = settled(tickets.find(bindingKey(binding)));
    if (known !== undefined) return known;
    if (!text.ok) return { kind: 'refused', error: cannotShow(text.problem, demand) };
    const { args, wholeArgs, risk } = text;
    const ticket = tickets.open({
      binding: bindingKey(binding),
      principal: binding.principal,
      tool: binding.tool,
      source: tool.source,
      args,
      ...(wholeArgs !== undefined && { wholeArgs }),
      argsDigest: binding.args,
      definition: binding.definition,
      rules: demand.rules,
      reason: demand.reason,
      risk,
    });
    if (ticket === undefined)
      return {
        kind: 'refused',
        error: {
          code: 'confirmation_required',
          message: 'This call needs approval, but too many calls are already waiting for approval',
          data: { rule: demand.rules.join(', ') },
        },
      };
    if (waitMs() > 0) {
      await tickets.waitForDecision(ticket.id, waitMs(), call.signal);
      if (call.signal.aborted)
        return {
          kind: 'refused',
          error: { code: 'cancelled', message: 'The caller cancelled the call while it waited for approval' },
        };
      const later = settled(tickets.get(ticket.id));
      if (later !== undefined) return later;
    }
    return { kind: 'refused', error: pendingError(ticket, demand) };
  };

  return {
    async check(call, tool, demand) {
      const { seals, tickets } = await books();
      const binding = bindingOf(call, tool);
      if (call.confirmation !== undefined && call.confirmation.state !== '')
        return answered(call, tool, demand, binding, seals);
      const text = describe(call, tool, demand);
      // What does not fit into a form is decided with a ticket, where the whole can be opened.
      const message = text.ok ? text.message : undefined;
      if (demand.by === 'caller' && call.ticket === undefined && message !== undefined && supportsElicitation(call))
        return question(binding, seals, message);
      return byTicket(call, tool, demand, binding, tickets, text);
    },
    async attach(inner, call, tool): Promise<Question> {
      const { seals } = await books();
      return {
        ...inner,
        state: seals.seal({ kind: 'carry', inner: inner.state }, bindingOf(call, tool), now() + answerMs()),
      };
    },
    withoutOwnAnswers(call) {
      if (call.confirmation === undefined || !isApprovalState(call.confirmation.state)) return call;
      return deriveCall(call, { confirmation: undefined });
    },
  };
}

const requestedSchema: JsonObject = {
  type: 'object',
  properties: {
    approve: {
      type: 'boolean',
      title: 'Allow this call',
      description: 'Once, with exactly these arguments',
      default: false,
    },
  },
  required: ['approve'],
};

const isPlainObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Only an explicit `approve: true` counts. */
const isApproved = (content: Json | undefined): boolean => isPlainObject(content) && content['approve'] === true;

/** Whether the client declared form elicitation; an empty declaration implies it. */
function supportsElicitation({ back }: Call): boolean {
  const elicitation = back?.capabilities?.['elicitation'];
  return isPlainObject(elicitation) && (isPlainObject(elicitation['form']) || elicitation['url'] === undefined);
}

const cannotElicit: ToolError = {
  code: 'confirmation_required',
  message: 'This call needs approval, but this client cannot ask for it',
  hint: 'Use a client that supports elicitation, or ask the operator to add an allow rule',
};

const cannotShow = (problem: string, { rules }: ApprovalRequirement): ToolError => ({
  code: 'confirmation_required',
  message: `This call needs approval (${rules.join(', ')}), but approval cannot be requested: ${problem}`,
  hint: 'Split the call into smaller ones',
  data: { rule: rules.join(', ') },
});

// The command that approves is not in the message: a model with a shell would run it.
const pendingError = (ticket: Ticket, { rules, by }: ApprovalRequirement): ToolError => ({
  code: 'confirmation_required',
  message: `This call needs approval by ${by === 'operator' ? 'an operator' : 'a person'} (${rules.join(', ')}); a person must approve ticket ${ticket.id}`,
  hint: `Ask the user to have ticket ${ticket.id} approved; once it is approved, repeat the same call, with the ticket if possible`,
  retryAfterMs: 5_000,
  data: { rule: rules.join(', '), ticket: ticket.id, expires_at: new Date(ticket.expiresAt).toISOString() },
});
