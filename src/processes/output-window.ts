import type { Readable } from 'node:stream';
import { outputWindowBytes } from './broker/messages.js';

/** Flow control of a program's output: its pipes pause while too many bytes are in flight to the gateway (backpressure). */
export function outputWindow(streams: readonly (Readable | null)[]) {
  let unread = 0;
  const isFull = (): boolean => unread >= outputWindowBytes;
  const adjust = (): void => {
    for (const stream of streams) {
      if (isFull()) stream?.pause();
      else if (stream?.isPaused() === true) stream.resume();
    }
  };
  return {
    isFull,
    sent(bytes: number): void {
      unread += bytes;
      if (isFull()) adjust();
    },
    credit(bytes: number): void {
      // Never below zero: a credit may cover bytes that were dropped at the cap.
      unread = Math.max(0, unread - bytes);
      // Resumed at half, so that the pipe is not paused and resumed for every chunk (hysteresis).
      if (unread < outputWindowBytes / 2) adjust();
    },
  };
}
