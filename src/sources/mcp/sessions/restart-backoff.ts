import type { Clock } from '../../../lib/clock.js';
import type { ChannelEnd } from '../channels/channel.js';

/** Why no session is available; `retryAfterMs` if the reason is temporary. */
export interface NoLease extends ChannelEnd {
  readonly busy?: boolean;
  readonly retryAfterMs?: number;
}

interface BackoffLimits {
  /** Consecutive failures after which restarts pause for `restMs`. */
  readonly crashLimit: number;
  readonly restMs: number;
}

const firstBackOffMs = 100;
const maxBackOffMs = 10_000;

/** Exponential back-off between restarts of a server; after too many failures in a row restarts pause. */
export function restartBackoff({ crashLimit, restMs }: BackoffLimits, clock: Clock) {
  let failures = 0;
  let lastFailure: ChannelEnd | undefined;
  let notBefore = 0;
  const isPaused = (): boolean => failures >= crashLimit;
  return {
    isPaused,
    fail(end: ChannelEnd): void {
      failures += 1;
      lastFailure = end;
      notBefore = clock() + (isPaused() ? restMs : Math.min(maxBackOffMs, firstBackOffMs * 2 ** (failures - 1)));
    },
    reset(): void {
      failures = 0;
    },
    /** Lets the next start happen now. */
    clear(): void {
      failures = 0;
      notBefore = 0;
    },
    /** The reason and the time left; undefined if a start may be tried now. */
    current(): NoLease | undefined {
      const waitMs = notBefore - clock();
      if (waitMs <= 0 || !lastFailure) return undefined;
      return {
        ...lastFailure,
        retryAfterMs: Math.ceil(waitMs),
        ...(isPaused() && { message: `${lastFailure.message}, ${failures} times in a row; restarts are paused` }),
      };
    },
  };
}
