import type { JsonObject } from '../core/json.js';
import type { EventBus, GatewayEvent } from './events.js';

export interface EventStreamOptions {
  readonly bus: EventBus;
  readonly health: () => JsonObject;
  readonly metrics: () => JsonObject;
  /** How often health and metrics are told. */
  readonly everyMs?: number;
  /** How often a silent stream shows that it lives. */
  readonly heartbeatMs?: number;
  /** A receiver that takes nothing for this long is let go. */
  readonly stallMs?: number;
}

/** One receiver of the stream, whatever carries it. */
export interface Receiver {
  /** Sends a chunk; false means that it was taken but no more should come until `resume`. */
  readonly write: (chunk: string) => boolean;
  /** Called once when the stream lets the receiver go: it stalled, or the gateway stops. */
  readonly end: () => void;
  readonly wants?: (event: GatewayEvent) => boolean;
}

export interface Stream {
  resume(): void;
  close(): void;
}

/** Server-sent events for doors: what the bus tells, health and then metrics every few seconds, heartbeats in between. */
export interface EventStream {
  /** Undefined where there are too many receivers already. */
  subscribe(receiver: Receiver): Stream | undefined;
  /** Ends every stream. */
  close(): void;
}

/** An event in the form of text/event-stream; JSON has no raw line feed, so the data cannot end the field. */
export const toServerSentEvent = ({ id, type, at, data }: GatewayEvent): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, at, data })}\n\n`;

export function eventStream(options: EventStreamOptions): EventStream {
  const { bus, health, metrics, everyMs = 5_000, heartbeatMs = 15_000, stallMs = 60_000 } = options;
  const streams = new Set<{ readonly beat: (now: number) => void; readonly end: () => void }>();
  let telling: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;

  const tell = (): void => {
    bus.publish('health', health());
    bus.publish('metrics', metrics());
  };
  /** Timers run only while somebody listens. */
  const adjustTimers = (): void => {
    if (streams.size > 0) {
      telling ??= setInterval(tell, everyMs).unref();
      beating ??= setInterval(() => streams.forEach((stream) => stream.beat(performance.now())), heartbeatMs).unref();
      return;
    }
    clearInterval(telling);
    clearInterval(beating);
    telling = beating = undefined;
  };

  return {
    subscribe(receiver) {
      let blockedAt: number | undefined;
      const write = (chunk: string): boolean => {
        const more = receiver.write(chunk);
        if (!more) blockedAt = performance.now();
        return more;
      };
      const subscription = bus.subscribe({
        deliver: (event) => write(toServerSentEvent(event)),
        ...(receiver.wants && { wants: receiver.wants }),
      });
      if (!subscription) return undefined;
      const close = (): void => {
        subscription.close();
        if (streams.delete(stream)) adjustTimers();
      };
      const stream = {
        beat(now: number) {
          if (blockedAt === undefined) write(': heartbeat\n\n');
          else if (now - blockedAt >= stallMs) stream.end();
        },
        end() {
          close();
          receiver.end();
        },
      };
      streams.add(stream);
      adjustTimers();
      write('retry: 5000\n\n');
      // Only the first one is told at once: a client that keeps reconnecting must not make work for all others.
      if (streams.size === 1) tell();
      return {
        resume() {
          blockedAt = undefined;
          subscription.resume();
        },
        close,
      };
    },
    close: () => streams.forEach((stream) => stream.end()),
  };
}
