import { deadlinePassed } from '../core/call.js';
import { deriveCall } from '../core/derive-call.js';
import type { Guard } from '../core/guard.js';
import type { Failed, Outcome } from '../core/outcome.js';
import { failed } from '../core/outcome.js';
import { lazyController, lightController } from '../lib/light-signal.js';
import { guardSpec } from './guard-spec.js';

/**
 * Enforces the timeout of a call: the caller's request, else the tool's default, capped by the tool's maximum. The tool's signal is
 * aborted, and it gets `graceMs` to return partial output; then the call ends without it.
 */
export function deadline(options: { readonly graceMs?: number } = {}): Guard {
  const { graceMs = 5_000 } = options;
  return (tool, next) => {
    // Most tools finish before they read their signal; a native one is created only for those that do and need it.
    const controller = tool.lightSignal === true ? lightController : lazyController;
    return (call) => {
      const limitMs = Math.min(call.timeoutMs ?? tool.limits.timeoutMs, tool.limits.maxTimeoutMs);
      if (call.signal.aborted) return Promise.resolve(interruptedOutcome('cancelled', limitMs));

      return new Promise<Outcome>((resolve, reject) => {
        const inner = controller();
        let stopReason: 'timeout' | 'cancelled' | undefined;
        let timer = setTimeout(() => stop('timeout'), limitMs);
        const onDisconnect = (): void => stop('cancelled');
        // Linked manually: AbortSignal.any costs more than all other guards together.
        call.signal.addEventListener('abort', onDisconnect, { once: true });

        function release(): void {
          clearTimeout(timer);
          call.signal.removeEventListener('abort', onDisconnect);
        }
        function stop(reason: 'timeout' | 'cancelled'): void {
          if (stopReason !== undefined) return;
          stopReason = reason;
          clearTimeout(timer);
          timer = setTimeout(() => settle(undefined), graceMs);
          inner.abort(reason === 'timeout' ? deadlinePassed : call.signal.reason);
        }
        function settle(outcome: Outcome | undefined): void {
          release();
          if (stopReason === undefined && outcome !== undefined) resolve(outcome);
          else
            resolve(
              stopReason === undefined || outcome?.kind === 'done'
                ? (outcome ?? interruptedOutcome('timeout', limitMs))
                : interruptedOutcome(stopReason, limitMs, outcome),
            );
        }
        next(deriveCall(call, { signalOf: inner, timeoutMs: limitMs })).then(settle, (error: unknown) => {
          release();
          // Many libraries throw an abort error for their signal: the deadline caused it, it is not a bug.
          if (stopReason === undefined) reject(error instanceof Error ? error : new Error(String(error)));
          else resolve(interruptedOutcome(stopReason, limitMs));
        });
      });
    };
  };
}

function interruptedOutcome(why: 'timeout' | 'cancelled', limitMs: number, outcome?: Outcome): Failed {
  const message = why === 'timeout' ? `Timed out after ${limitMs / 1000} s` : 'The caller cancelled';
  if (outcome?.kind !== 'failed') return failed({ code: why, message });
  const { content, data, meta, injection } = outcome;
  return failed(
    { code: why, message: outcome.error.code === why ? outcome.error.message : message },
    {
      ...(content && { content }),
      ...(data !== undefined && { data }),
      ...(meta && { meta }),
      ...(injection && { injection }),
    },
  );
}

export const deadlineSpec = guardSpec({
  name: 'deadline',
  does: "requested timeout, capped by the tool's maximum",
  answers: 'timeout, cancelled',
  make: () => deadline(),
});
