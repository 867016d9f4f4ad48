import { failed, type Failed } from './egress-types.js';

/** The time and the patience one request has, over all its redirects. */
export interface Budget {
  /** Set once the time is up or the caller has gone. */
  readonly spent: () => Failed | undefined;
  /** Whom to tell when that happens; only the last one asked for is told. */
  readonly watch: (stop: (why: Failed) => void) => void;
  /** Lets go of timer and listener; must be called on every path. */
  readonly done: () => void;
}

/** The budget of what is over already. */
export const unlimited: Budget = { spent: () => undefined, watch: () => undefined, done: () => undefined };

const longestTimer = 2 ** 31 - 1;

/** Starts counting at once; `Infinity` sets no time limit. */
export function budget(timeoutMs: number, signal: AbortSignal | undefined, what = 'the request'): Budget {
  let why: Failed | undefined;
  let tell: ((why: Failed) => void) | undefined;
  const spend = (reason: Failed) => {
    if (why) return;
    why = reason;
    tell?.(reason);
  };
  const onAbort = () => spend(failed('cancelled', `${what} was cancelled`));
  const timer =
    timeoutMs > longestTimer
      ? undefined
      : setTimeout(() => spend(failed('timeout', `${what} took longer than ${timeoutMs} ms`)), timeoutMs);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    spent: () => why,
    watch: (stop) => {
      tell = stop;
    },
    done: () => {
      tell = undefined;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
