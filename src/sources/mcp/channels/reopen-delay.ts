import { maxReopenMs, reopenMs } from './response-stream.js';

const minReopenMs = 100;
const maxQuickReopens = 5;

/** Delays between connections of a stream that is reopened for ever: exponential back-off, reset by a stream that lasted. */
export function reopenDelay() {
  let waitMs = reopenMs;
  let quick = 0;
  /** Delay after a stream of this duration; `retryMs` is the wish of the server. */
  return (lastedMs: number, retryMs: number | undefined): number => {
    const hasLasted = lastedMs > maxReopenMs;
    if (hasLasted) waitMs = reopenMs;
    quick = hasLasted ? 0 : quick + 1;
    // A server that closes at once with `retry: 0` would cause a reconnect loop.
    const least = quick > maxQuickReopens ? reopenMs : minReopenMs;
    const delay = Math.min(Math.max(retryMs ?? waitMs, least), maxReopenMs);
    waitMs = Math.min(2 * waitMs, maxReopenMs);
    return delay;
  };
}
