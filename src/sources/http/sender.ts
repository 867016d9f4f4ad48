import { deadlinePassed, type Call } from '../../core/call.js';
import type { ToolError } from '../../core/errors.js';
import type { CallerCircuits } from '../../lib/caller-circuits.js';
import type { CircuitOutcome } from '../../lib/circuit.js';
import { monotonic, type Clock } from '../../lib/clock.js';
import type { Egress, EgressResponse, EgressResult } from '../../net/egress/egress-types.js';
import type { CallLimits } from './declarations.js';
import { statusError, requestError, timeoutError } from './failures.js';
import { retryDelayMs } from './retries.js';

/** The HTTP request of a call. */
export interface OutboundRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Randomness and time; injectable, so that tests never sleep. */
export interface Timing {
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
}

/** What a sender is built from, per tool. */
interface SenderOptions {
  readonly egress: Egress;
  readonly circuit: CallerCircuits;
  readonly limits: CallLimits;
  /** Whether the request may be sent again. */
  readonly repeatable: boolean;
  readonly secretHeaders: readonly string[];
  /** Redacts known secrets in untrusted text. */
  readonly redact: (text: string) => string;
  readonly timing: Timing;
}

/** The response, or the error to report. */
type SendResult =
  { readonly ok: true; readonly response: EgressResponse } | { readonly ok: false; readonly error: ToolError };
/** Sends one request on behalf of a call. */
export type Sender = (request: OutboundRequest, call: Call) => Promise<SendResult>;

/** Deadline of the whole call with retries and waits: 1.5 times that of one attempt. */
export const totalMs = ({ timeoutMs }: CallLimits): number => timeoutMs * 1.5;

/** Sends a request through the breaker of its origin; retries only if that is safe and the deadline allows it. */
export function sender(options: SenderOptions): Sender {
  const { egress, circuit, limits, repeatable, secretHeaders, redact, timing } = options;
  const { random, sleep, clock } = timing;

  const attemptOnce = async (
    request: OutboundRequest,
    call: Call,
    leftMs: number,
    settle: (circuitOutcome: CircuitOutcome) => void,
  ): Promise<EgressResult> => {
    // Neutral unless proven otherwise: an exception in between must not count against the service.
    let circuitOutcome: CircuitOutcome = 'neutral';
    try {
      // Never zero, which would mean "no timeout" to the client.
      const timeoutMs = Math.max(1, Math.ceil(Math.min(limits.timeoutMs, leftMs)));
      const result = await egress.request({
        ...request,
        signal: call.signal,
        timeoutMs,
        maxResponseBytes: limits.maxResponseBytes,
        secretHeaders,
      });
      circuitOutcome = toCircuitOutcome(result, call.signal, (call.timeoutMs ?? limits.timeoutMs) >= limits.timeoutMs);
      return result;
    } finally {
      settle(circuitOutcome);
    }
  };

  return async (request, call) => {
    const total = totalMs(limits);
    // The caller's timeout can shorten the deadline, never extend it.
    const endsAt = clock() + Math.min(call.timeoutMs ?? total, total);
    let last: ToolError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const ticket = circuit.admit(call.principal.id);
      // If the breaker opened between two attempts, the error of the service is more useful.
      if (typeof ticket === 'number') return { ok: false, error: last ?? circuitOpenError(request.url, ticket) };
      const result = await attemptOnce(request, call, endsAt - clock(), ticket);
      if (result.kind === 'response' && result.status >= 200 && result.status < 300)
        return { ok: true, response: result };
      last = isDeadlinePassed(call.signal)
        ? timeoutError
        : result.kind === 'response'
          ? statusError(result, redact)
          : requestError(result);
      const wait =
        repeatable && attempt < limits.attempts && !call.signal.aborted
          ? retryDelayMs(result, attempt, random, Date.now)
          : undefined;
      // A wait that ends after the deadline would only delay the error.
      if (wait === undefined || clock() + wait >= endsAt) return { ok: false, error: last };
      await sleep(wait, call.signal);
      if (call.signal.aborted)
        return {
          ok: false,
          error: isDeadlinePassed(call.signal) ? timeoutError : { code: 'cancelled', message: 'The caller cancelled' },
        };
    }
  };
}

/** Waits until the time has passed or the signal fires. */
export const sleep: Timing['sleep'] = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake, { once: true });
    return undefined;
  });

/** Real randomness and time. */
export const systemTiming: Timing = { random: Math.random, sleep, clock: monotonic };

/** Whether the deadline guard, and not the caller, ended the call. */
const isDeadlinePassed = (signal: AbortSignal): boolean => signal.aborted && signal.reason === deadlinePassed;

/** Health of the origin for its breaker: a 4xx is a success; a cancelled call and a deadline shorter than the default are neutral. */
function toCircuitOutcome(result: EgressResult, signal: AbortSignal, hadDefaultDeadline: boolean): CircuitOutcome {
  if (result.kind === 'refused') return 'neutral';
  if (result.kind === 'response') {
    if (result.status >= 500) return 'failure';
    return result.status === 408 || result.status === 429 ? 'neutral' : 'success';
  }
  if (result.reason === 'cancelled') return isDeadlinePassed(signal) && hadDefaultDeadline ? 'failure' : 'neutral';
  if (result.reason === 'timeout') return hadDefaultDeadline ? 'failure' : 'neutral';
  return ['network', 'dns', 'tls', 'protocol'].includes(result.reason) ? 'failure' : 'neutral';
}

/** Error while the breaker of the origin is open, with the time until its next probe. */
const circuitOpenError = ({ origin }: URL, waitMs: number): ToolError => ({
  code: 'circuit_open',
  message: `${origin} failed repeatedly; calls are paused`,
  hint: `Try again in ${Math.ceil(waitMs / 1000)} s`,
  retryAfterMs: Math.ceil(waitMs),
});
