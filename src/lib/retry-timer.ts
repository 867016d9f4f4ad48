/** One timer for repeated attempts, with exponential back-off until `reset`; it does not keep the process alive. */
export function retryTimer(firstMs: number, maxMs: number) {
  let timer: NodeJS.Timeout | undefined;
  let delayMs = firstMs;
  return {
    /** Schedules the next attempt, in place of one that is scheduled already. */
    schedule(attempt: () => unknown): void {
      clearTimeout(timer);
      timer = setTimeout(attempt, delayMs);
      timer.unref();
      delayMs = Math.min(maxMs, delayMs * 2);
    },
    reset(): void {
      delayMs = firstMs;
    },
    stop: () => clearTimeout(timer),
  };
}
