import type { ServerResponse } from 'node:http';
import { sseEvent, ssePriming } from '../../wire/sse.js';

/** A stream whose client may go and come back: events are numbered and kept until the answer was taken. */
export interface Resumable {
  readonly id: string;
  send(text: string): void;
  /** The last event; undefined ends the stream without one. */
  finish(text: string | undefined): void;
  /** Continues on this response with what came after the event numbered `after`. */
  attach(res: ServerResponse, after: number): void;
  detach(): void;
  /** When it ended; undefined while it runs. It is kept for a while, since what was sent may not have arrived. */
  readonly endedAt: number | undefined;
}

export interface ResumableOptions {
  readonly id: string;
  readonly retryMs: number;
  readonly maxBytes: number;
  readonly now: () => number;
}

/** The number in an event id `<stream>_<number>`. */
export const eventNumber = (eventId: string): number | undefined => {
  const digits = /_(\d{1,9})$/.exec(eventId)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
export const streamOf = (eventId: string): string => eventId.slice(0, eventId.lastIndexOf('_'));

export function resumable({ id, retryMs, maxBytes, now }: ResumableOptions): Resumable {
  const events: { readonly number: number; readonly text: string }[] = [];
  let held = 0;
  let next = 1;
  let sink: ServerResponse | undefined;
  let endedAt: number | undefined;

  const push = (text: string): void => {
    events.push({ number: next, text });
    held += text.length;
    // The newest are kept: the answer comes last, and progress that was missed is not missed much.
    while (held > maxBytes && events.length > 1) held -= events.shift()?.text.length ?? 0;
    sink?.write(sseEvent(text, `${id}_${next}`));
    next += 1;
  };
  const detach = (): void => {
    sink?.end();
    sink = undefined;
  };

  return {
    id,
    detach,
    get endedAt() {
      return endedAt;
    },
    send(text) {
      if (endedAt !== undefined || (sink && sink.writableLength > maxBytes)) return;
      push(text);
    },
    finish(text) {
      if (endedAt !== undefined) return;
      if (text !== undefined) push(text);
      endedAt = now();
      detach();
    },
    attach(res, after) {
      detach();
      sink = res;
      res.once('close', () => {
        if (sink === res) sink = undefined;
      });
      res.write(ssePriming(`${id}_${after}`, retryMs));
      for (const { number, text } of events) if (number > after) res.write(sseEvent(text, `${id}_${number}`));
      if (endedAt !== undefined) detach();
    },
  };
}
