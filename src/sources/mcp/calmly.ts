import type { Clock } from '../../lib/clock.js';
import { monotonic } from '../../lib/clock.js';

/** Tells of changes, many at once as one, and of those that never end ever more seldom. */
export interface Calmly {
  happen(): void;
  close(): void;
}

const firstMs = 100;
const longestMs = 10_000;

/**
 * Calls `tell` a moment after something happened. What happens meanwhile is told once `tell` is done, after a pause that
 * doubles with each: a server that says without end that its list changed must not have us read it without end.
 */
export function calmly(tell: () => Promise<unknown> | undefined, clock: Clock = monotonic): Calmly {
  let timer: NodeJS.Timeout | undefined;
  let isTelling = false;
  let again = false;
  let closed = false;
  let pauseMs = firstMs;
  let toldAt = -Infinity;

  const happen = (): void => {
    if (closed || timer) return;
    if (isTelling) {
      again = true;
      return;
    }
    const quietMs = clock() - toldAt;
    pauseMs = quietMs > 2 * pauseMs + firstMs ? firstMs : Math.min(2 * pauseMs, longestMs);
    timer = setTimeout(() => void pass(), pauseMs);
    timer.unref();
  };
  const pass = async (): Promise<void> => {
    timer = undefined;
    isTelling = true;
    try {
      await tell();
    } finally {
      isTelling = false;
      toldAt = clock();
    }
    if (!again) return;
    again = false;
    happen();
  };

  return {
    happen,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}
