import { toFailure, type Failed } from './egress-types.js';

/** Deadline and cancellation of one request, over all its redirects. */
export interface Budget {
  /** Failure once the time is up or the caller has aborted. */
  readonly spent: () => Failed | undefined;
  /** Sets the callback for that event; replaces an earlier one. */
  readonly watch: (stop: (why: Failed) => void) => void;
  /** Releases timer and listener; must be called on every path. */
  readonly done: () => void;
}

/** Budget without limits, for responses that have already arrived. */
export const unlimited: Budget = { spent: () => undefined, watch: () => undefined, done: () => undefined };

const longestTimer = 2 ** 31 - 1;

/** Starts counting at once; `Infinity` sets no time limit. */
export function budget(timeoutMs: number, signal: AbortSignal | undefined, what = 'the request'): Budget {
  let why: Failed | undefined;
  let notify: ((why: Failed) => void) | undefined;
  const spend = (reason: Failed) => {
    if (why) return;
    why = reason;
    notify?.(reason);
  };
  const onAbort = () => spend(toFailure('cancelled', `${what} was cancelled`));
  const timer =
    timeoutMs > longestTimer
      ? undefined
      : setTimeout(() => spend(toFailure('timeout', `${what} took longer than ${timeoutMs} ms`)), timeoutMs);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    spent: () => why,
    watch: (stop) => {
      notify = stop;
    },
    done: () => {
      notify = undefined;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
