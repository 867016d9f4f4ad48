/**
 * Runs something that may nest as deep as hostile code likes: a stack that ran out is told, so that the rest is still
 * looked at, and never thrown further.
 */
export function withinStack(run: () => void, onTooDeep: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    onTooDeep();
  }
}
