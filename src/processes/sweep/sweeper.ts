import { setTimeout as pause } from 'node:timers/promises';
import { killAll } from './process-sweep.js';

/** Kills processes that runs leave behind; runs that end together share one scan of /proc (coalescing). */
export interface Sweeper {
  /** Kills every process of a run; resolves to the number that could not be killed. */
  sweep(serial: number): Promise<number>;
}

/** A sweeper for the runs of one gateway instance. */
export function sweeper(instance: number, coalesceMs = 5): Sweeper {
  let pending: { readonly serials: Set<number>; readonly done: Promise<number> } | undefined;

  const begin = (): { readonly serials: Set<number>; readonly done: Promise<number> } => {
    const serials = new Set<number>();
    const done = pause(coalesceMs).then(() => {
      pending = undefined;
      return killAll((mark) => mark.instance === instance && serials.has(mark.serial));
    });
    return { serials, done };
  };

  return {
    sweep(serial) {
      pending ??= begin();
      pending.serials.add(serial);
      return pending.done;
    },
  };
}
