import { deadlinePassed, type Call } from '../../core/call.js';
import type { ToolError } from '../../core/errors.js';
import type { Circuit, Verdict } from '../../lib/circuit.js';
import { monotonic, type Clock } from '../../lib/clock.js';
import type { Egress, EgressResponse, EgressResult } from '../../net/egress-types.js';
import type { CallLimits } from './declarations.js';
import { badStatus, notAnswered, timedOut } from './failures.js';
import { waitBefore } from './retries.js';

/** One request that a call comes to. */
export interface OutRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Chance, time and patience; a test brings its own, so that none ever sleeps. */
export interface Chance {
  readonly random: () => number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
}

export interface CallerOptions {
  readonly way: Egress;
  readonly circuit: Circuit;
  readonly limits: CallLimits;
  /** Whether the request may be sent again. */
  readonly repeatable: boolean;
  readonly secretHeaders: readonly string[];
  /** Takes known secrets out of a foreign text. */
  readonly hide: (text: string) => string;
  readonly chance: Chance;
}

export type Answered =
  { readonly ok: true; readonly response: EgressResponse } | { readonly ok: false; readonly error: ToolError };
export type Caller = (request: OutRequest, call: Call) => Promise<Answered>;

/** The whole call, waits and further attempts included, gets half as much again as one attempt. */
export const totalMs = ({ timeoutMs }: CallLimits): number => timeoutMs * 1.5;

/** Sends a request behind the breaker of its origin, again only where that is safe and the deadline leaves time. */
export function caller(options: CallerOptions): Caller {
  const { way, circuit, limits, repeatable, secretHeaders, hide, chance } = options;
  const { random, sleep, clock } = chance;

  const once = async (
    request: OutRequest,
    call: Call,
    leftMs: number,
    settle: (verdict: Verdict) => void,
  ): Promise<EgressResult> => {
    let verdict: Verdict = 'neutral';
    try {
      const timeoutMs = Math.max(1, Math.ceil(Math.min(limits.timeoutMs, leftMs)));
      const result = await way.request({
        ...request,
        signal: call.signal,
        timeoutMs,
        maxResponseBytes: limits.maxResponseBytes,
        secretHeaders,
      });
      verdict = judged(result, call.signal);
      return result;
    } finally {
      settle(verdict);
    }
  };

  return async (request, call) => {
    const total = totalMs(limits);
    const endsAt = clock() + Math.min(call.timeoutMs ?? total, total);
    let last: ToolError | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const ticket = circuit.admit();
      // A breaker that opened between two attempts of this call: what the service said is the better answer.
      if (typeof ticket === 'number') return { ok: false, error: last ?? resting(request.url, ticket) };
      const result = await once(request, call, endsAt - clock(), ticket);
      if (result.kind === 'response' && result.status >= 200 && result.status < 300)
        return { ok: true, response: result };
      last = isOver(call.signal)
        ? timedOut
        : result.kind === 'response'
          ? badStatus(result, hide)
          : notAnswered(result);
      const wait =
        repeatable && attempt < limits.attempts && !call.signal.aborted
          ? waitBefore(result, attempt, random, Date.now)
          : undefined;
      if (wait === undefined || clock() + wait >= endsAt) return { ok: false, error: last };
      await sleep(wait, call.signal);
      if (call.signal.aborted)
        return {
          ok: false,
          error: isOver(call.signal) ? timedOut : { code: 'cancelled', message: 'The caller cancelled' },
        };
    }
  };
}

/** Waits, but no longer than the caller does. */
export const sleep: Chance['sleep'] = (ms, signal) =>
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

/** Chance and time as they are. */
export const realChance: Chance = { random: Math.random, sleep, clock: monotonic };

const isOver = (signal: AbortSignal): boolean => signal.aborted && signal.reason === deadlinePassed;

/** What an attempt says about the health of the origin: a 4xx is an answer, a hang-up of the caller says nothing. */
function judged(result: EgressResult, signal: AbortSignal): Verdict {
  if (result.kind === 'refused') return 'neutral';
  if (result.kind === 'response') {
    if (result.status >= 500) return 'failure';
    return result.status === 408 || result.status === 429 ? 'neutral' : 'success';
  }
  if (result.reason === 'cancelled') return isOver(signal) ? 'failure' : 'neutral';
  return ['network', 'dns', 'tls', 'protocol', 'timeout'].includes(result.reason) ? 'failure' : 'neutral';
}

const resting = ({ origin }: URL, waitMs: number): ToolError => ({
  code: 'circuit_open',
  message: `${origin} failed repeatedly and rests`,
  hint: `Try again in ${Math.ceil(waitMs / 1000)} s`,
  retryAfterMs: Math.ceil(waitMs),
});
