import { lightController } from '../../../lib/light-signal.js';
import type { Controller } from '../../../lib/light-signal.js';
import type { TransportFailure } from '../../../wire/reply.js';

/** End of a request on our side: its deadline, or a caller that cancelled. */
interface Abandonment {
  readonly controller: Controller;
  /** Why the request was abandoned; undefined while it was not. */
  reason(): TransportFailure | undefined;
  /** Stops the timer and the listener. */
  clear(): void;
}

const longestTimerMs = 2_147_483_647; // setTimeout fires at once for longer values

/** Watches deadline and caller of one request; `onAbandon` runs once, before the signal of the request fires. */
export function abandonment(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  onAbandon: (reason: string) => void,
): Abandonment {
  const controller = lightController();
  let reason: TransportFailure | undefined;
  const abandon = (kind: 'timeout' | 'cancelled', message: string): void => {
    // Whichever comes first counts; the other is ignored.
    if (reason !== undefined) return;
    reason = { kind, message };
    // Before the abort: the notification still needs the connection.
    onAbandon(message);
    controller.abort();
  };
  const onAbort = (): void => abandon('cancelled', 'Cancelled');
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => abandon('timeout', 'No response in time'), Math.min(timeoutMs, longestTimerMs));
  return {
    controller,
    reason: () => reason,
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
