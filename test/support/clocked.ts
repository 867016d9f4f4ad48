import { serving, type Running } from './toolgate.js';

/** A gateway whose clocks a check moves; its timers run as always. */
export interface Clocked extends Running {
  /** Moves the clocks ahead by the step, so many times. */
  later(times?: number): Promise<void>;
}

/** Starts the gateway of a folder with clocks that move ahead in steps of so many seconds. */
export async function clockedGate(
  folder: string,
  stepSeconds: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Clocked> {
  const own = await serving(folder, [], {
    ...env,
    NODE_OPTIONS: `--import=${new URL('gateway-clock.mjs', import.meta.url).href}`,
    CLOCK_STEP_SEC: String(stepSeconds),
  });
  let moved = 0;
  return {
    ...own,
    async later(times = 1) {
      // One signal at a time: two that wait for delivery are one.
      for (let turn = 0; turn < times; turn += 1) {
        own.child.kill('SIGUSR2');
        moved += stepSeconds * 1000;
        await own.logged(`"ahead_ms":${moved}}`);
      }
    },
  };
}
