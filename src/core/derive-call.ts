import type { Args, Call } from './call.js';

// Copies list every field: spreading an object of this size costs more than most guards, and every call is copied.

/** The call with its validated arguments. */
export const withArgs = (call: Call, args: Args, timeoutMs: number | undefined): Call => ({
  id: call.id,
  tool: call.tool,
  principal: call.principal,
  profile: call.profile,
  via: call.via,
  args,
  receivedAt: call.receivedAt,
  signal: call.signal,
  correlationId: call.correlationId,
  timeoutMs: timeoutMs ?? call.timeoutMs,
  trace: call.trace,
  confirmation: call.confirmation,
  ticket: call.ticket,
  session: call.session,
  back: call.back,
  canSee: call.canSee,
  meta: call.meta,
});

/** The call with another back channel; `signal` is read explicitly because it may be a lazy getter. */
export const withBackChannel = (call: Call, back: Call['back']): Call => ({ ...call, signal: call.signal, back });

/** The call with a separate signal and time limit; the signal is created only when the tool reads it. */
export function withSignal(call: Call, source: { readonly signal: AbortSignal }, timeoutMs: number): Call {
  return new CallWithSignal(call, source, timeoutMs);
}

class CallWithSignal implements Call {
  readonly id: Call['id'];
  readonly tool: Call['tool'];
  readonly principal: Call['principal'];
  readonly profile: Call['profile'];
  readonly via: Call['via'];
  readonly args: Call['args'];
  readonly receivedAt: Call['receivedAt'];
  readonly correlationId: Call['correlationId'];
  readonly timeoutMs: number;
  readonly trace: Call['trace'];
  readonly confirmation: Call['confirmation'];
  readonly ticket: Call['ticket'];
  readonly session: Call['session'];
  readonly back: Call['back'];
  readonly canSee: Call['canSee'];
  readonly meta: Call['meta'];
  readonly #source: { readonly signal: AbortSignal };

  constructor(call: Call, source: { readonly signal: AbortSignal }, timeoutMs: number) {
    this.id = call.id;
    this.tool = call.tool;
    this.principal = call.principal;
    this.profile = call.profile;
    this.via = call.via;
    this.args = call.args;
    this.receivedAt = call.receivedAt;
    this.correlationId = call.correlationId;
    this.timeoutMs = timeoutMs;
    this.trace = call.trace;
    this.confirmation = call.confirmation;
    this.ticket = call.ticket;
    this.session = call.session;
    this.back = call.back;
    this.canSee = call.canSee;
    this.meta = call.meta;
    this.#source = source;
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }
}
