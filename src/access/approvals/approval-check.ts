import type { Call } from '../../core/call.js';
import { deriveCall } from '../../core/derive-call.js';
import type { Decision, ToolError } from '../../core/errors.js';
import type { Json, JsonObject } from '../../core/json.js';
import type { Question } from '../../core/outcome.js';
import { stateUnavailable } from '../../core/outcome.js';
import type { Tool } from '../../core/tool.js';
import type { CallApprovals, ApprovalCheck, ApprovalRequirement } from '../../guards/confirm.js';
import type { Redactor } from '../../hostile-text/redact.js';
import { EngineDown } from '../../state/engine.js';
import type { LabelsOf } from '../flows/labels.js';
import type { Binding, Seals } from './seals.js';
import { bindingKey, bindingOf, isApprovalState } from './seals.js';
import type { Ticket, TicketContext, Tickets } from './tickets.js';
import type { ApprovalText } from './approval-text.js';
import { approvalText } from './approval-text.js';
import { derivedNames, givenNames } from './ticket-info.js';

interface ApprovalCheckOptions {
  /** Opens the state at the first call that needs approval: most gateways never do. */
  readonly open: () => Promise<{ readonly seals: Seals; readonly tickets: Tickets }>;
  readonly labelsOf: LabelsOf;
  readonly redactor: Redactor;
  /** Labels that the conversation of a call has touched; undefined if more than are recorded. */
  readonly seenLabels?: (call: Call) => readonly string[] | undefined;
  /** How long a form can be answered. */
  readonly answerMs: () => number;
  /** How long a call waits for an operator before it is refused with a ticket. */
  readonly waitMs: () => number;
  readonly now?: () => number;
}

/** Key of the approval form among the elicitation requests of a call. */
const questionName = 'toolgate_confirm';

/** The person or operator said no: final for this call. */
const declined = (message: string, decision: Decision): ApprovalCheck => ({
  kind: 'refused',
  error: { code: 'declined', message, decision },
});
/** The answer does not belong to this call; the reason is for the audit, not for the caller. */
const invalidConfirmation = (why: string): ApprovalCheck => ({
  kind: 'refused',
  error: {
    code: 'invalid_confirmation',
    message: 'The approval is for another call, was already used, or has expired',
    decision: { why },
  },
});

/** Approval of exact calls: by a form in the client if it supports elicitation, else by an operator through a ticket. */
export function approvalCheck({
  open: books,
  labelsOf,
  redactor,
  seenLabels = () => [],
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
        // The state travels through the client, so it is sealed: it binds the answer to this caller, tool, definition and
        // arguments.
        state: seals.seal({ kind: 'ask' }, binding, now() + answerMs()),
        otherwise: cannotElicit,
      },
    };
  };

  const answered = async (
    call: Call,
    tool: Tool,
    demand: ApprovalRequirement,
    binding: Binding,
    seals: Seals,
  ): Promise<ApprovalCheck> => {
    const { answers = {}, state = '' } = call.confirmation ?? {};
    // Checked by shape first: states of upstream servers pass here, too.
    if (!isApprovalState(state)) return invalidConfirmation('forged');
    const opened = await seals.open(state, binding);
    if (!opened.ok) return invalidConfirmation(opened.why);
    if (opened.kind === 'carry')
      // `use` is atomic: of two requests with the same state only one succeeds (replay).
      return (await seals.use(opened.nonce, opened.expiresAt))
        ? { kind: 'given', call: deriveCall(call, { confirmation: { answers, state: opened.inner ?? '' } }) }
        : invalidConfirmation('used');
    // A reload may have changed the rule to `confirm: operator`; the answer of the client no longer counts then.
    if (demand.by === 'operator') return invalidConfirmation('other call');
    // Object.hasOwn: the keys of answers come from the client.
    const answer = Object.hasOwn(answers, questionName) ? answers[questionName] : undefined;
    // The client answered other questions, or none: ask again instead of guessing.
    if (answer === undefined) {
      const text = describe(call, tool, demand);
      return text.ok && text.message !== undefined
        ? question(binding, seals, text.message)
        : invalidConfirmation('other call');
    }
    // Used up before the answer is read, so that a declined form cannot be sent again as accepted.
    if (!(await seals.use(opened.nonce, opened.expiresAt))) return invalidConfirmation('used');
    if (answer['action'] !== 'accept' || !isApproved(answer['content']))
      return declined('The user declined this call', { rule: demand.rules.join(', ') });
    return { kind: 'given', call: deriveCall(call, { confirmation: undefined }) };
  };

  const contextOf = async (call: Call, tool: Tool, tickets: Tickets, wholeArgs: string): Promise<TicketContext> => {
    const seen = seenLabels(call);
    const lastApproved = await tickets.lastApproved(call.principal.id, call.tool);
    return {
      door: call.via,
      ...(call.session !== undefined && { session: call.session }),
      correlationId: call.correlationId,
      given: givenNames(call, wholeArgs),
      derived: derivedNames(call, tool, wholeArgs),
      labels: labelsOf(tool),
      effects: effectNames(tool),
      ...(seen !== undefined && { seenLabels: seen }),
      ...(lastApproved && { lastApproved }),
    };
  };

  const byTicket = async (
    call: Call,
    tool: Tool,
    demand: ApprovalRequirement,
    binding: Binding,
    tickets: Tickets,
    text: ApprovalText,
  ): Promise<ApprovalCheck> => {
    const settled = async (ticket: Ticket | undefined): Promise<ApprovalCheck | undefined> => {
      // The denial of an operator is final for this binding, also if the call is repeated with the ticket.
      if (ticket?.status === 'denied')
        return declined(
          ticket.denyReason === undefined
            ? 'An operator denied this call'
            : `An operator denied this call: ${ticket.denyReason}`,
          { rule: demand.rules.join(', '), ticket: ticket.id },
        );
      // Redeemed once: an approval allows one call.
      if (ticket?.status !== 'approved' || !(await tickets.redeem(ticket))) return undefined;
      return { kind: 'given', call: deriveCall(call, { confirmation: undefined }) };
    };
    if (call.ticket !== undefined) {
      // A ticket of another principal, of another call and an expired one get the same response: guessing ids reveals nothing.
      const named = await tickets.get(call.ticket);
      if (named?.binding !== bindingKey(binding))
        return invalidConfirmation(named === undefined ? 'expired' : 'other call');
    }
    // A ticket of an identical earlier call counts, also if the caller did not name it.
    const known = await settled(await tickets.find(bindingKey(binding)));
    if (known !== undefined) return known;
    if (!text.ok) return { kind: 'refused', error: cannotShow(text.problem, demand) };
    const { args, wholeArgs, risk } = text;
    const ticket = await tickets.open({
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
      context: await contextOf(call, tool, tickets, wholeArgs ?? args),
    });
    // Bounded, so that a caller cannot fill the operator's list (denial of service).
    if (ticket === undefined)
      return {
        kind: 'refused',
        error: {
          code: 'confirmation_required',
          message: 'This call needs approval, but too many calls are already waiting for approval',
          decision: { rule: demand.rules.join(', ') },
        },
      };
    if (waitMs() > 0) {
      await tickets.waitForDecision(ticket.id, waitMs(), call.signal);
      // An aborted call must not consume an approval that comes later.
      if (call.signal.aborted)
        return {
          kind: 'refused',
          error: { code: 'cancelled', message: 'The caller cancelled the call while it waited for approval' },
        };
      const later = await settled(await tickets.get(ticket.id));
      if (later !== undefined) return later;
    }
    return { kind: 'refused', error: pendingError(ticket, demand) };
  };

  const check: CallApprovals['check'] = async (call, tool, demand) => {
    const { seals, tickets } = await books();
    const binding = bindingOf(call, tool);
    // An empty state is a first request of clients that always send the field.
    if (call.confirmation !== undefined && call.confirmation.state !== '')
      return answered(call, tool, demand, binding, seals);
    const text = describe(call, tool, demand);
    // What does not fit into a form is decided with a ticket, where the whole can be opened.
    const message = text.ok ? text.message : undefined;
    if (demand.by === 'caller' && call.ticket === undefined && message !== undefined && supportsElicitation(call))
      return question(binding, seals, message);
    return byTicket(call, tool, demand, binding, tickets, text);
  };

  return {
    async check(call, tool, demand) {
      try {
        return await check(call, tool, demand);
      } catch (error) {
        // Approvals that replicas share cannot be read or used: nothing is decided, and nothing runs.
        if (!(error instanceof EngineDown)) throw error;
        return { kind: 'refused', error: stateUnavailable('The approval of this call cannot be read').error };
      }
    },
    async attach(inner, call, tool): Promise<Question> {
      const { seals } = await books();
      return {
        ...inner,
        state: seals.seal({ kind: 'carry', inner: inner.state }, bindingOf(call, tool), now() + answerMs()),
      };
    },
    // Removes our own answers before the call goes upstream: a server must not see or replay them.
    withoutOwnAnswers(call) {
      if (call.confirmation === undefined || !isApprovalState(call.confirmation.state)) return call;
      return deriveCall(call, { confirmation: undefined });
    },
  };
}

/** Form with one checkbox that is off by default: submitting without a decision declines. */
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

/** Whether a JSON value is an object. */
const isPlainObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Effects by the names that policies use. */
const effectNames = ({ effects: { reads, writes, destroys, openWorld } }: Tool): readonly string[] =>
  Object.entries({ reads, writes, destroys, open_world: openWorld })
    .filter(([, has]) => has)
    .map(([name]) => name);
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
  decision: { rule: rules.join(', ') },
});

// The command that approves is not in the message: a model with a shell would run it.
const pendingError = (ticket: Ticket, { rules, by }: ApprovalRequirement): ToolError => ({
  code: 'confirmation_required',
  message: `This call needs approval by ${by === 'operator' ? 'an operator' : 'a person'} (${rules.join(', ')}); a person must approve ticket ${ticket.id}`,
  hint: `Ask the user to have ticket ${ticket.id} approved; once it is approved, repeat the same call, with the ticket if possible`,
  retryAfterMs: 5_000,
  decision: { rule: rules.join(', '), ticket: ticket.id },
  data: { expires_at: new Date(ticket.expiresAt).toISOString() },
});
