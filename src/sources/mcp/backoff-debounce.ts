import type { Clock } from '../../lib/clock.js';
import { monotonic } from '../../lib/clock.js';

/** Debounces change notifications, with exponential back-off for a source that never stops changing. */
interface BackoffDebounce {
  trigger(): void;
  close(): void;
}

/** Pause after a single change, and the longest one for a server that never stops. */
const minPauseMs = 100;
const maxPauseMs = 10_000;

/**
 * Calls `notify` shortly after `trigger`. Triggers that arrive while `notify` runs are coalesced into one further call,
 * after a pause that doubles each time: a server that floods us with list_changed must not make us list in a loop.
 */
export function backoffDebounce(notify: () => Promise<unknown> | undefined, clock: Clock = monotonic): BackoffDebounce {
  let timer: NodeJS.Timeout | undefined;
  let isNotifying = false;
  let isPending = false;
  let closed = false;
  let pauseMs = minPauseMs;
  let lastNotifiedAt = -Infinity;

  const happen = (): void => {
    if (closed || timer) return;
    if (isNotifying) {
      isPending = true;
      return;
    }
    const quietMs = clock() - lastNotifiedAt;
    // A source that was quiet for a while starts with the short pause again.
    pauseMs = quietMs > 2 * pauseMs + minPauseMs ? minPauseMs : Math.min(2 * pauseMs, maxPauseMs);
    timer = setTimeout(() => void run(), pauseMs);
    timer.unref();
  };
  const run = async (): Promise<void> => {
    timer = undefined;
    isNotifying = true;
    try {
      await notify();
    } finally {
      isNotifying = false;
      lastNotifiedAt = clock();
    }
    if (!isPending) return;
    // One further call covers all triggers that arrived meanwhile (coalescing).
    isPending = false;
    happen();
  };

  return {
    trigger: happen,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
