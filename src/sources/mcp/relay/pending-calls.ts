import { randomUUID } from 'node:crypto';
import type { Call } from '../../../core/call.js';
import type { JsonObject } from '../../../core/json.js';
import type { Ask, Outcome, Question } from '../../../core/outcome.js';
import { refuse } from '../../../core/outcome.js';
import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import { rpcCodes, rpcError } from '../../../wire/codes.js';
import type { RpcReply } from '../../../wire/reply.js';
import { forwardedAsk, inputRequestProblem } from './input-requests.js';

/** Limits for calls that wait for input from their client. */
export interface PendingCallLimits {
  readonly maxPending: number;
  readonly maxPerPrincipal: number;
  readonly ttlMs: number;
}

/** Bounds of calls that wait; each holds a request at its server. */
const defaultPendingLimits: PendingCallLimits = { maxPending: 256, maxPerPrincipal: 16, ttlMs: 600_000 };

/** A call whose server may request input while it runs. */
interface InteractiveCall {
  readonly call: Call;
  /** Hash of principal, method and parameters; answers for another call are rejected. */
  readonly binding: string;
  /** Whether the client supports this kind of request. */
  readonly supports: (ask: Ask) => boolean;
  /** Starts the call; the server's requests go through `question` until the outcome. */
  readonly start: (question: (ask: Ask) => Promise<RpcReply>, signal: AbortSignal) => Promise<Outcome>;
  /** Builds the outcome that forwards questions to the client. */
  readonly toQuestion: (asks: Question['asks'], handle: string) => Outcome;
}

/** Calls that wait for their client. */
interface PendingCalls {
  /** Runs a call until its outcome or its next question. */
  run(interactive: InteractiveCall): Promise<Outcome>;
  /** Passes the answers to a pending call and continues it. */
  resume(handle: string, call: Call, binding: string): Promise<Outcome>;
  close(): void;
}

/** A question of the server that is not answered yet. */
interface PendingQuestion {
  readonly ask: Ask;
  answer(reply: RpcReply): void;
}

/** A call between two requests of its client. */
interface PendingCall {
  readonly interactive: InteractiveCall;
  readonly abort: Controller;
  readonly outcome: Promise<Outcome>;
  /** Unanswered questions by key. */
  readonly questions: Map<string, PendingQuestion>;
  wake: () => void;
  timer: NodeJS.Timeout | undefined;
  questionCount: number;
}

/** Questions that may be open at once in one call. */
const maxQuestions = 8;
/** Reply to a question that is malformed. */
const invalidQuestion = (problem: string): RpcReply => ({
  error: rpcError(rpcCodes.invalidParams, `The server ${problem}`),
});
/** Reply to a question whose call has ended. */
const callEnded = (message: string): RpcReply => ({ error: rpcError(rpcCodes.invalidRequest, message) });

/** Table of legacy calls that wait for client input: bounded, tied to one principal and request, and expiring. */
export function pendingCalls(given: Partial<PendingCallLimits> = {}): PendingCalls {
  const limits = { ...defaultPendingLimits, ...given };
  const pending = new Map<string, PendingCall>();

  // Ends a call on every side: its questions, its request and its timer.
  const end = (handle: string, pendingCall: PendingCall, message: string): void => {
    pending.delete(handle);
    clearTimeout(pendingCall.timer);
    for (const { answer } of pendingCall.questions.values()) answer(callEnded(message));
    pendingCall.questions.clear();
    pendingCall.abort.abort(new Error(message));
  };

  /** Waits for the outcome or a question, under the abort signal of the current client request. */
  async function runUntilQuestion(pendingCall: PendingCall, signal: AbortSignal): Promise<Outcome> {
    // The client's request may be cancelled while the server still works.
    const cancel = (): void => pendingCall.abort.abort(signal.reason);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    try {
      while (pendingCall.questions.size === 0) {
        const question = new Promise<undefined>((resolve) => (pendingCall.wake = () => resolve(undefined)));
        const outcome = await Promise.race([pendingCall.outcome, question]);
        if (outcome !== undefined) return outcome;
      }
      return suspend(pendingCall);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  function suspend(pendingCall: PendingCall): Outcome {
    const { interactive } = pendingCall;
    // Counted per principal, so that one caller cannot use up the table.
    const countOfPrincipal = [...pending.values()].filter(
      (other) => other.interactive.call.principal.id === interactive.call.principal.id,
    ).length;
    if (pending.size >= limits.maxPending || countOfPrincipal >= limits.maxPerPrincipal) {
      end('', pendingCall, 'Too many calls wait for client input');
      return refuse('busy', 'Too many calls wait for client input', { retryAfterMs: 10_000 });
    }
    // Random: the handle is part of a sealed state, but must not be guessable anyway.
    const handle = randomUUID();
    pending.set(handle, pendingCall);
    pendingCall.timer = setTimeout(() => end(handle, pendingCall, 'The client did not answer in time'), limits.ttlMs);
    pendingCall.timer.unref();
    // Drop the entry if the server exits while its question is open.
    const removeIfEnded = (): void => {
      if (pending.get(handle) === pendingCall && pendingCall.questions.size === 0)
        end(handle, pendingCall, 'The call has ended');
    };
    pendingCall.outcome.then(removeIfEnded, removeIfEnded);
    return interactive.toQuestion(
      Object.fromEntries([...pendingCall.questions].map(([key, { ask }]) => [key, ask])),
      handle,
    );
  }

  return {
    run(interactive) {
      const abort = lightController();
      const questions = new Map<string, PendingQuestion>();
      const question = (ask: Ask): Promise<RpcReply> => {
        if (!interactive.supports(ask))
          return Promise.resolve({
            error: rpcError(rpcCodes.methodNotFound, `The client does not support ${ask.method}`),
          });
        const problem = inputRequestProblem(ask);
        if (problem !== undefined) return Promise.resolve(invalidQuestion(problem));
        if (questions.size >= maxQuestions || abort.signal.aborted)
          return Promise.resolve(callEnded('The client cannot be asked now'));
        return new Promise((answer) => {
          pendingCall.questionCount += 1;
          questions.set(`q${pendingCall.questionCount}`, { ask: forwardedAsk(ask), answer });
          pendingCall.wake();
        });
      };
      const pendingCall: PendingCall = {
        interactive,
        abort,
        questions,
        outcome: Promise.resolve().then(() => interactive.start(question, abort.signal)),
        wake: () => {},
        timer: undefined,
        questionCount: 0,
      };
      // Nothing awaits the outcome of a pending call; an unhandled rejection would end the process.
      pendingCall.outcome.catch(() => undefined);
      return runUntilQuestion(pendingCall, interactive.call.signal);
    },
    async resume(handle, call, binding) {
      const pendingCall = pending.get(handle);
      // The binding proves that the answer belongs to this very request (confused deputy).
      if (!pendingCall || pendingCall.interactive.binding !== binding)
        return refuse('invalid_confirmation', 'The call that requested this input has ended');
      pending.delete(handle);
      clearTimeout(pendingCall.timer);
      const answers: Readonly<Record<string, JsonObject>> = call.confirmation?.answers ?? {};
      for (const [key, { answer }] of pendingCall.questions) {
        // Object.hasOwn: the keys come from the client.
        const result = Object.hasOwn(answers, key) ? answers[key] : undefined;
        if (result === undefined) continue;
        pendingCall.questions.delete(key);
        answer({ result });
      }
      return runUntilQuestion(pendingCall, call.signal);
    },
    close() {
      for (const [handle, pendingCall] of pending) end(handle, pendingCall, 'The gateway is stopping');
    },
  };
}
