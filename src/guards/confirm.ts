import type { Call } from '../core/call.js';
import type { ToolError } from '../core/errors.js';
import type { Guard } from '../core/guard.js';
import type { Confirm, Outcome, Question } from '../core/outcome.js';
import { failed } from '../core/outcome.js';
import type { Tool } from '../core/tool.js';

/** Why a call needs somebody's consent, and whose. */
export interface Demand {
  /** The rules that ask for it. */
  readonly rules: readonly string[];
  readonly reason: string;
  /** Whoever sits at the client, or an operator who is not the caller. */
  readonly by: 'caller' | 'operator';
}

/** Says which calls need consent. */
export interface Demands {
  demand(call: Call, tool: Tool): Demand | undefined;
}

/** What is known about somebody's consent to one call. */
export type Consented =
  /** Given, and used up by this; `call` goes on, with the answers that are for others. */
  | { readonly kind: 'given'; readonly call: Call }
  | { readonly kind: 'ask'; readonly question: Question }
  | { readonly kind: 'refused'; readonly error: ToolError };

/** Keeps consent: bound to the exact call, for a short time, for one use. */
export interface Consent {
  look(call: Call, tool: Tool, demand: Demand): Promise<Consented>;
  /** Wraps a question of the tool itself, so that its answer brings the consent along. */
  carry(question: Question, call: Call, tool: Tool): Promise<Question>;
  /** The call without answers that were meant for us and are not needed any more. */
  stripped(call: Call): Call;
}

/** Lets a call that needs consent pass only with it; silence, errors and doubt are no consent. */
export function confirm({ demands, consent }: { readonly demands: Demands; readonly consent: Consent }): Guard {
  return (tool, next) => {
    const asked = async (call: Call, demand: Demand): Promise<Outcome> => {
      const found = await consent.look(call, tool, demand);
      if (found.kind === 'refused') return failed(found.error);
      if (found.kind === 'ask') return { kind: 'confirm', question: found.question };
      const outcome = await next(found.call);
      if (outcome.kind !== 'confirm') return outcome;
      return { kind: 'confirm', question: await consent.carry(outcome.question, call, tool) } satisfies Confirm;
    };
    return (call) => {
      const demand = demands.demand(call, tool);
      return demand === undefined ? next(consent.stripped(call)) : asked(call, demand);
    };
  };
}
