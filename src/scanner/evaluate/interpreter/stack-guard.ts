/**
 * Runs code whose recursion depth the scanned code controls. A stack overflow is reported through `onTooDeep` instead of
 * thrown, so that deeply nested hostile code cannot hide the rest.
 */
export function withinStack(run: () => void, onTooDeep: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    onTooDeep();
  }
}
