import type { Call } from './call.js';

/** Every field of a call, present even if undefined: an object that misses one does not compile. */
type EveryField = { readonly [Key in keyof Call]-?: Call[Key] };

/** Fields a guard may replace; identity, tool and receipt of a call never change. */
export type CallChanges = Partial<
  Pick<Call, 'args' | 'timeoutMs' | 'trace' | 'confirmation' | 'back'> & {
    /** Owner of the new signal; the signal is created only when a tool reads it. */
    readonly signalOf: { readonly signal: AbortSignal };
  }
>;

/**
 * The call with some fields replaced. The only way to derive a call: a copy by hand forgets fields (it did), and a spread reads the
 * lazy signal and costs more than most guards.
 */
export const deriveCall = (call: Call, changes: CallChanges): Call => new DerivedCall(call, changes);

class DerivedCall implements EveryField {
  readonly id: Call['id'];
  readonly tool: Call['tool'];
  readonly principal: Call['principal'];
  readonly profile: Call['profile'];
  readonly peer: Call['peer'];
  readonly via: Call['via'];
  readonly args: Call['args'];
  readonly given: Call['given'];
  readonly receivedAt: Call['receivedAt'];
  readonly correlationId: Call['correlationId'];
  readonly timeoutMs: Call['timeoutMs'];
  readonly trace: Call['trace'];
  readonly confirmation: Call['confirmation'];
  readonly ticket: Call['ticket'];
  readonly session: Call['session'];
  readonly back: Call['back'];
  readonly canSee: Call['canSee'];
  readonly subscriber: Call['subscriber'];
  readonly meta: Call['meta'];
  readonly #signalOf: { readonly signal: AbortSignal };

  constructor(call: Call, changes: CallChanges) {
    this.id = call.id;
    this.tool = call.tool;
    this.principal = call.principal;
    this.profile = call.profile;
    this.peer = call.peer;
    this.via = call.via;
    this.args = changes.args ?? call.args;
    this.given = call.given ?? (changes.args === undefined ? undefined : call.args);
    this.receivedAt = call.receivedAt;
    this.correlationId = call.correlationId;
    this.timeoutMs = changes.timeoutMs ?? call.timeoutMs;
    this.trace = changes.trace ?? call.trace;
    // May be taken away: an answer to a question of the gateway is not passed on to the tool.
    this.confirmation = 'confirmation' in changes ? changes.confirmation : call.confirmation;
    this.ticket = call.ticket;
    this.session = call.session;
    this.back = changes.back ?? call.back;
    this.canSee = call.canSee;
    this.subscriber = call.subscriber;
    this.meta = call.meta;
    this.#signalOf = changes.signalOf ?? call;
  }

  get signal(): AbortSignal {
    return this.#signalOf.signal;
  }
}
