import { randomUUID } from 'node:crypto';
import type { Call } from '../../core/call.js';
import type { JsonObject } from '../../core/json.js';
import type { Ask, Outcome, Question } from '../../core/outcome.js';
import { refuse } from '../../core/outcome.js';
import { lightController } from '../../lib/light-signal.js';
import type { Controller } from '../../lib/light-signal.js';
import { codes, rpcError } from '../../wire/codes.js';
import type { RpcReply } from '../../wire/pending.js';
import { askProblem } from './asks.js';

/** How many calls may wait for an answer of their callers, and for how long. */
export interface ParkLimits {
  readonly maxParked: number;
  readonly maxPerPrincipal: number;
  readonly ttlMs: number;
}

export const parkLimits: ParkLimits = { maxParked: 256, maxPerPrincipal: 16, ttlMs: 600_000 };

/** A call whose server may ask something while it runs. */
export interface Following {
  readonly call: Call;
  /** Whom and what the call belongs to; answers for anything else are refused. */
  readonly bound: string;
  /** Whether the caller can be asked this. */
  readonly can: (ask: Ask) => boolean;
  /** Starts the call; it ends with `start`'s outcome, and asks through `question` until then. */
  readonly start: (question: (ask: Ask) => Promise<RpcReply>, signal: AbortSignal) => Promise<Outcome>;
  /** Makes the outcome that hands a question to the caller. */
  readonly question: (asks: Question['asks'], handle: string) => Outcome;
}

export interface ParkedCalls {
  /** Runs a call to its end or to its next question, whichever comes first. */
  follow(following: Following): Promise<Outcome>;
  /** Gives the answers to a parked call and follows it on. */
  resume(handle: string, call: Call, bound: string): Promise<Outcome>;
  close(): void;
}

interface Waiting {
  readonly ask: Ask;
  answer(reply: RpcReply): void;
}

interface Flight {
  readonly following: Following;
  readonly abort: Controller;
  readonly outcome: Promise<Outcome>;
  /** Questions nobody has answered, by key. */
  readonly waiting: Map<string, Waiting>;
  wake: () => void;
  timer: NodeJS.Timeout | undefined;
  asked: number;
}

const maxWaiting = 8;
const invalid = (problem: string): RpcReply => ({ error: rpcError(codes.invalidParams, `The server ${problem}`) });
const gone = (message: string): RpcReply => ({ error: rpcError(codes.invalidRequest, message) });

/** Holds calls of older servers that wait for an answer of their callers: bounded, bound to whom they belong, and not for ever. */
export function parkedCalls(given: Partial<ParkLimits> = {}): ParkedCalls {
  const limits = { ...parkLimits, ...given };
  const flights = new Map<string, Flight>();

  const end = (handle: string, flight: Flight, message: string): void => {
    flights.delete(handle);
    clearTimeout(flight.timer);
    for (const { answer } of flight.waiting.values()) answer(gone(message));
    flight.waiting.clear();
    flight.abort.abort(new Error(message));
  };

  /** Waits for the outcome or for a question, under the signal of the caller who is here now. */
  async function leg(flight: Flight, signal: AbortSignal): Promise<Outcome> {
    const hangUp = (): void => flight.abort.abort(signal.reason);
    if (signal.aborted) hangUp();
    else signal.addEventListener('abort', hangUp, { once: true });
    try {
      while (flight.waiting.size === 0) {
        const question = new Promise<undefined>((resolve) => (flight.wake = () => resolve(undefined)));
        const outcome = await Promise.race([flight.outcome, question]);
        if (outcome !== undefined) return outcome;
      }
      return park(flight);
    } finally {
      signal.removeEventListener('abort', hangUp);
    }
  }

  function park(flight: Flight): Outcome {
    const { following } = flight;
    const owned = [...flights.values()].filter(
      (other) => other.following.call.principal.id === following.call.principal.id,
    ).length;
    if (flights.size >= limits.maxParked || owned >= limits.maxPerPrincipal) {
      end('', flight, 'Too many calls wait for answers');
      return refuse('busy', 'Too many calls wait for answers', { retryAfterMs: 10_000 });
    }
    const handle = randomUUID();
    flights.set(handle, flight);
    flight.timer = setTimeout(() => end(handle, flight, 'The caller did not answer in time'), limits.ttlMs);
    flight.timer.unref();
    // A server that dies while its question is out leaves nobody to answer.
    const over = (): void => {
      if (flights.get(handle) === flight && flight.waiting.size === 0) end(handle, flight, 'The call is over');
    };
    flight.outcome.then(over, over);
    return following.question(Object.fromEntries([...flight.waiting].map(([key, { ask }]) => [key, ask])), handle);
  }

  return {
    follow(following) {
      const abort = lightController();
      const waiting = new Map<string, Waiting>();
      const question = (ask: Ask): Promise<RpcReply> => {
        if (!following.can(ask))
          return Promise.resolve({
            error: rpcError(codes.methodNotFound, `The client behind the gateway cannot be asked ${ask.method}`),
          });
        const problem = askProblem(ask);
        if (problem !== undefined) return Promise.resolve(invalid(problem));
        if (waiting.size >= maxWaiting || abort.signal.aborted) return Promise.resolve(gone('Nobody can be asked now'));
        return new Promise((answer) => {
          flight.asked += 1;
          waiting.set(`q${flight.asked}`, { ask, answer });
          flight.wake();
        });
      };
      const flight: Flight = {
        following,
        abort,
        waiting,
        outcome: Promise.resolve().then(() => following.start(question, abort.signal)),
        wake: () => {},
        timer: undefined,
        asked: 0,
      };
      // While a call is parked nobody waits for its outcome; one that breaks then must not take the gateway with it.
      flight.outcome.catch(() => undefined);
      return leg(flight, following.call.signal);
    },
    async resume(handle, call, bound) {
      const flight = flights.get(handle);
      if (!flight || flight.following.bound !== bound)
        return refuse('invalid_confirmation', 'The call that asked is over');
      flights.delete(handle);
      clearTimeout(flight.timer);
      const answers: Readonly<Record<string, JsonObject>> = call.confirmation?.answers ?? {};
      for (const [key, { answer }] of flight.waiting) {
        const result = Object.hasOwn(answers, key) ? answers[key] : undefined;
        if (result === undefined) continue;
        flight.waiting.delete(key);
        answer({ result });
      }
      return leg(flight, call.signal);
    },
    close() {
      for (const [handle, flight] of flights) end(handle, flight, 'The gateway is stopping');
    },
  };
}
