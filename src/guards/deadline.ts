import { deadlinePassed } from '../core/call.js';
import { underSignal } from '../core/call-copies.js';
import type { Guard } from '../core/guard.js';
import type { Failed, Outcome } from '../core/outcome.js';
import { failed } from '../core/outcome.js';
import { lazyController, lightController } from '../lib/light-signal.js';

/**
 * Ends a call when its time is over: what the caller asked for, else the tool's default, never more than the tool's maximum.
 * The tool is told by its signal and gets `graceMs` to hand over what it has; then the call ends without it.
 */
export function deadline(options: { readonly graceMs?: number } = {}): Guard {
  const { graceMs = 5_000 } = options;
  return (tool, next) => {
    // Most tools are done before they look at their signal; a real one is made for those that do and need it.
    const controller = tool.lightSignal === true ? lightController : lazyController;
    return (call) => {
      const limitMs = Math.min(call.timeoutMs ?? tool.limits.timeoutMs, tool.limits.maxTimeoutMs);
      if (call.signal.aborted) return Promise.resolve(ended('cancelled', limitMs));

      return new Promise<Outcome>((resolve, reject) => {
        const inner = controller();
        let why: 'timeout' | 'cancelled' | undefined;
        let timer = setTimeout(() => stop('timeout'), limitMs);
        const onHangUp = (): void => stop('cancelled');
        // Linked by hand: AbortSignal.any costs more than all other guards together.
        call.signal.addEventListener('abort', onHangUp, { once: true });

        function release(): void {
          clearTimeout(timer);
          call.signal.removeEventListener('abort', onHangUp);
        }
        function stop(reason: 'timeout' | 'cancelled'): void {
          if (why !== undefined) return;
          why = reason;
          clearTimeout(timer);
          timer = setTimeout(() => settle(undefined), graceMs);
          inner.abort(reason === 'timeout' ? deadlinePassed : call.signal.reason);
        }
        function settle(outcome: Outcome | undefined): void {
          release();
          if (why === undefined && outcome !== undefined) resolve(outcome);
          else
            resolve(
              why === undefined || outcome?.kind === 'done'
                ? (outcome ?? ended('timeout', limitMs))
                : ended(why, limitMs, outcome),
            );
        }
        next(underSignal(call, inner, limitMs)).then(settle, (error: unknown) => {
          release();
          // An abort error is how many libraries answer their signal: the cause is ours, not a bug.
          if (why === undefined) reject(error instanceof Error ? error : new Error(String(error)));
          else resolve(ended(why, limitMs));
        });
      });
    };
  };
}

function ended(why: 'timeout' | 'cancelled', limitMs: number, outcome?: Outcome): Failed {
  const message = why === 'timeout' ? `Timed out after ${limitMs / 1000} s` : 'The caller cancelled';
  if (outcome?.kind !== 'failed') return failed({ code: why, message });
  const { content, data, meta } = outcome;
  return failed(
    { code: why, message: outcome.error.code === why ? outcome.error.message : message },
    { ...(content && { content }), ...(data !== undefined && { data }), ...(meta && { meta }) },
  );
}
