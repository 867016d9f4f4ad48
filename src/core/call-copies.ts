import type { Args, Call } from './call.js';

// Copies name every field: spreading an object of this size costs more than most guards, and every call is copied.

/** The call with the arguments that validation made of it. */
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
  sees: call.sees,
  meta: call.meta,
});

/** The call with another way back to its caller; its signal may be one that is made when asked for. */
export const withBack = (call: Call, back: Call['back']): Call => ({ ...call, signal: call.signal, back });

/** The call under a signal and a time limit of its own; the signal is asked for only when the tool looks at it. */
export function underSignal(call: Call, source: { readonly signal: AbortSignal }, timeoutMs: number): Call {
  return new CallUnderSignal(call, source, timeoutMs);
}

class CallUnderSignal implements Call {
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
  readonly session: Call['session'];
  readonly back: Call['back'];
  readonly sees: Call['sees'];
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
    this.session = call.session;
    this.back = call.back;
    this.sees = call.sees;
    this.meta = call.meta;
    this.#source = source;
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }
}
