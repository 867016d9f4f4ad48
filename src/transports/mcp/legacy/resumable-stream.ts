import { sseEvent, ssePriming } from '../../../wire/sse.js';

/** Where events go: a response of this replica, or the replica that has the client's connection. */
export interface EventSink {
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** Event stream that a client can resume after a disconnect (Last-Event-ID): events are numbered and buffered. */
export interface ResumableStream {
  readonly id: string;
  send(text: string): void;
  /** Sends the final event and ends the stream; undefined ends it without one. */
  finish(text: string | undefined): void;
  /** Continues on this response with the events after number `after`. */
  attach(res: EventSink, after: number): void;
  detach(): void;
  /** End time; undefined while running. Ended streams stay resumable for a while, because the last events may be lost in transit. */
  readonly endedAt: number | undefined;
}

interface ResumableStreamOptions {
  readonly id: string;
  readonly retryMs: number;
  readonly maxBytes: number;
  readonly now: () => number;
}

/** Event number of an event id `<stream>_<number>`. */
export const eventNumber = (eventId: string): number | undefined => {
  const digits = /_(\d{1,9})$/.exec(eventId)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
/** Stream id of an event id. */
export const streamIdOf = (eventId: string): string => eventId.slice(0, eventId.lastIndexOf('_'));

/** Buffers at most `maxBytes` of events for a reconnect. */
export function resumableStream({ id, retryMs, maxBytes, now }: ResumableStreamOptions): ResumableStream {
  const events: { readonly number: number; readonly text: string }[] = [];
  let bufferedChars = 0;
  let next = 1;
  let sink: EventSink | undefined;
  let endedAt: number | undefined;

  const push = (text: string): void => {
    events.push({ number: next, text });
    bufferedChars += text.length;
    // Evict the oldest first: the response comes last, and lost progress events matter least.
    while (bufferedChars > maxBytes && events.length > 1) bufferedChars -= events.shift()?.text.length ?? 0;
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
