/** Drain interval after exit: reading stops after one interval without data, since an escaped child may hold the pipe open. */
const drainMs = 100;
export const maxDrains = 50;

/** `hold` waits for a reader and counts no round. */
type DrainStep = 'done' | 'again' | 'hold';

/** Reads on after the exit of a program, because output written before it may still be in the pipe; ends when `decide` does. */
export function drainOutput(activity: () => number, decide: (isQuiet: boolean, rounds: number) => DrainStep): void {
  const scheduleCheck = (rounds: number): void => {
    const before = activity();
    const check = (): void => {
      const step = decide(activity() === before, rounds);
      if (step !== 'done') scheduleCheck(step === 'hold' ? rounds : rounds + 1);
    };
    // In a busy event loop a late timer fires before pending reads; setImmediate runs after them.
    setTimeout(() => setImmediate(check), drainMs);
  };
  scheduleCheck(0);
}
