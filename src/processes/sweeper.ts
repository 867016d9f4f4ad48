import { setTimeout as pause } from 'node:timers/promises';
import { killAll } from './sweep.js';

/** Ends what runs leave behind; runs that end together share one walk through /proc. */
export interface Sweeper {
  /** Kills every process of this run; resolves with how many could not be killed. */
  sweep(serial: number): Promise<number>;
}

/** A sweeper for the runs of one gateway instance. */
export function sweeper(instance: number, gatherMs = 5): Sweeper {
  let waiting: { readonly serials: Set<number>; readonly done: Promise<number> } | undefined;

  const begin = (): { readonly serials: Set<number>; readonly done: Promise<number> } => {
    const serials = new Set<number>();
    const done = pause(gatherMs).then(() => {
      waiting = undefined;
      return killAll((mark) => mark.instance === instance && serials.has(mark.serial));
    });
    return { serials, done };
  };

  return {
    sweep(serial) {
      waiting ??= begin();
      waiting.serials.add(serial);
      return waiting.done;
    },
  };
}
