import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Json, JsonObject } from '../core/json.js';
import type { Question } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';
import type { Consent, Consented, Demand } from '../guards/confirm.js';
import type { Redactor } from '../lib/redact.js';
import type { LabelsOf } from './labels.js';
import type { Binding, Seals } from './seals.js';
import { bindingKey, bindingOf, isOurs } from './seals.js';
import type { Ticket, Tickets } from './tickets.js';
import { wording } from './wording.js';

export interface ConsentOptions {
  /** Opened at the first call that needs consent: most gateways never do. */
  readonly books: () => Promise<{ readonly seals: Seals; readonly tickets: Tickets }>;
  readonly labelsOf: LabelsOf;
  readonly redactor: Redactor;
  /** How long a question can be answered. */
  readonly answerMs: () => number;
  /** How long a call waits for an operator. */
  readonly waitMs: () => number;
  readonly now?: () => number;
}

/** The name of our question among others. */
const asked = 'toolgate_confirm';

const refused = (message: string, data?: JsonObject, hint?: string): Consented => ({
  kind: 'refused',
  error: { code: 'declined', message, ...(hint !== undefined && { hint }), ...(data && { data }) },
});
const invalid = (why: string): Consented => ({
  kind: 'refused',
  error: {
    code: 'invalid_confirmation',
    message: 'The answer does not belong to this call, was used before, or is too late',
    data: { why },
  },
});

/** Consent to exact calls: asked of the client where it can be asked, else of an operator by ticket. */
export function consent({ books, labelsOf, redactor, answerMs, waitMs, now = Date.now }: ConsentOptions): Consent {
  const question = (call: Call, tool: Tool, demand: Demand, binding: Binding, seals: Seals): Consented => {
    const { message } = wording(call, tool, demand, labelsOf(tool), redactor);
    return {
      kind: 'ask',
      question: {
        asks: { [asked]: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } } },
        state: seals.seal({ kind: 'ask' }, binding, now() + answerMs()),
        otherwise: unaskable,
      },
    };
  };

  const answered = (call: Call, tool: Tool, demand: Demand, binding: Binding, seals: Seals): Consented => {
    const { answers = {}, state = '' } = call.confirmation ?? {};
    if (!isOurs(state)) return invalid('forged');
    const opened = seals.open(state, binding);
    if (!opened.ok) return invalid(opened.why);
    if (opened.kind === 'carry')
      return seals.use(opened.nonce, opened.expiresAt)
        ? { kind: 'given', call: { ...call, confirmation: { answers, state: opened.inner ?? '' } } }
        : invalid('used');
    // Meanwhile only an operator's word counts: what the client says is worth nothing.
    if (demand.by === 'operator') return invalid('other call');
    const answer = Object.hasOwn(answers, asked) ? answers[asked] : undefined;
    if (answer === undefined) return question(call, tool, demand, binding, seals);
    if (!seals.use(opened.nonce, opened.expiresAt)) return invalid('used');
    if (answer['action'] !== 'accept' || !isYes(answer['content']))
      return refused('The user did not agree to this call', { rule: demand.rules.join(', ') });
    const { confirmation: _, ...rest } = call;
    return { kind: 'given', call: rest };
  };

  const byTicket = async (
    call: Call,
    tool: Tool,
    demand: Demand,
    binding: Binding,
    tickets: Tickets,
  ): Promise<Consented> => {
    const settled = (ticket: Ticket | undefined): Consented | undefined => {
      if (ticket?.status === 'denied')
        return refused('An operator denied this call', { rule: demand.rules.join(', '), ticket: ticket.id });
      if (ticket?.status !== 'approved' || !tickets.redeem(ticket)) return undefined;
      const { confirmation: _, ...rest } = call;
      return { kind: 'given', call: rest };
    };
    if (call.ticket !== undefined) {
      // Somebody else's ticket, one for another call and one that is gone read the same: who guesses learns nothing.
      const named = tickets.get(call.ticket);
      if (named?.binding !== bindingKey(binding)) return invalid(named === undefined ? 'expired' : 'other call');
    }
    const known = settled(tickets.find(bindingKey(binding)));
    if (known !== undefined) return known;
    const { args, risk } = wording(call, tool, demand, labelsOf(tool), redactor);
    const ticket = tickets.open({
      binding: bindingKey(binding),
      principal: binding.principal,
      tool: binding.tool,
      source: tool.source,
      args,
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
          message: 'This call needs consent, and too many calls wait for it already',
          data: { rule: demand.rules.join(', ') },
        },
      };
    if (waitMs() > 0) {
      await tickets.decided(ticket.id, waitMs(), call.signal);
      if (call.signal.aborted)
        return { kind: 'refused', error: { code: 'cancelled', message: 'The caller did not wait for the answer' } };
      const later = settled(tickets.get(ticket.id));
      if (later !== undefined) return later;
    }
    return { kind: 'refused', error: pending(ticket, demand) };
  };

  return {
    async look(call, tool, demand) {
      const { seals, tickets } = await books();
      const binding = bindingOf(call, tool);
      if (call.confirmation !== undefined && call.confirmation.state !== '')
        return answered(call, tool, demand, binding, seals);
      if (demand.by === 'caller' && call.ticket === undefined && canBeAsked(call))
        return question(call, tool, demand, binding, seals);
      return byTicket(call, tool, demand, binding, tickets);
    },
    async carry(inner, call, tool): Promise<Question> {
      const { seals } = await books();
      return {
        ...inner,
        state: seals.seal({ kind: 'carry', inner: inner.state }, bindingOf(call, tool), now() + answerMs()),
      };
    },
    stripped(call) {
      if (call.confirmation === undefined || !isOurs(call.confirmation.state)) return call;
      const { confirmation: _, ...rest } = call;
      return rest;
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

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Only a plain yes is one. */
const isYes = (content: Json | undefined): boolean => isObject(content) && content['approve'] === true;

/** Whether the client said that it can show a form; an empty declaration means that it can. */
function canBeAsked({ back }: Call): boolean {
  const elicitation = back?.capabilities?.['elicitation'];
  return isObject(elicitation) && (isObject(elicitation['form']) || elicitation['url'] === undefined);
}

const unaskable: ToolError = {
  code: 'confirmation_required',
  message: 'This call needs consent, and this client cannot ask for it',
  hint: 'Use a client that supports elicitation, or have the operator allow it by a rule',
};

const pending = (ticket: Ticket, { rules, by }: Demand): ToolError => ({
  code: 'confirmation_required',
  message: `This call needs the consent of ${by === 'operator' ? 'an operator' : 'a person'} (${rules.join(', ')})`,
  hint: `An operator answers with: toolgate approvals approve ${ticket.id}. Then send the same call again, with the ticket where you can`,
  retryAfterMs: 5_000,
  data: { rule: rules.join(', '), ticket: ticket.id, expires_at: new Date(ticket.expiresAt).toISOString() },
});
