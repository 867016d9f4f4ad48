import type { JsonObject } from '../core/json.js';
import type { EventBus, GatewayEvent } from './events.js';

export interface EventStreamOptions {
  readonly bus: EventBus;
  readonly health: () => JsonObject;
  readonly metrics: () => JsonObject;
  /** Interval of health and metrics events. */
  readonly everyMs?: number;
  /** Interval of heartbeats. */
  readonly heartbeatMs?: number;
  /** A receiver that is blocked for this long is disconnected. */
  readonly stallMs?: number;
  /** Called when the first receiver arrives and when the last one has left. */
  readonly onWatched?: (isWatched: boolean) => void;
}

/** A receiver of the stream, independent of the transport. */
interface StreamReceiver {
  /** Sends a chunk; false means accepted, but no more until `resume` (backpressure). */
  readonly write: (chunk: string) => boolean;
  /** Called once when the receiver is disconnected: it stalled, or the gateway stops. */
  readonly end: () => void;
  readonly wants?: (event: GatewayEvent) => boolean;
  readonly after?: number;
}

interface StreamHandle {
  resume(): void;
  close(): void;
}

/** Server-sent events: events of the bus, periodic health and metrics, and heartbeats. */
interface EventStream {
  /** Undefined if the maximum number of receivers is reached. */
  subscribe(receiver: StreamReceiver): StreamHandle | undefined;
  /** Ends every stream. */
  close(): void;
}

/** Formats an event as text/event-stream; JSON contains no raw line feed, so data cannot inject fields. */
const toServerSentEvent = ({ id, type, at, data }: GatewayEvent): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify({ type, at, data })}\n\n`;

export function eventStream(options: EventStreamOptions): EventStream {
  const { bus, health, metrics, everyMs = 5_000, heartbeatMs = 15_000, stallMs = 60_000 } = options;
  const streams = new Set<{ readonly beat: (time: number) => void; readonly end: () => void }>();
  let snapshotTimer: NodeJS.Timeout | undefined;
  let heartbeatTimer: NodeJS.Timeout | undefined;

  const publishSnapshots = (): void => {
    bus.publish('health', health());
    bus.publish('metrics', metrics());
  };
  /** Timers run only while there are receivers. */
  let wasWatched = false;
  const adjustTimers = (): void => {
    if (streams.size > 0 !== wasWatched) {
      wasWatched = streams.size > 0;
      options.onWatched?.(wasWatched);
    }
    if (streams.size > 0) {
      snapshotTimer ??= setInterval(publishSnapshots, everyMs).unref();
      heartbeatTimer ??= setInterval(
        () => streams.forEach((stream) => stream.beat(performance.now())),
        heartbeatMs,
      ).unref();
      return;
    }
    clearInterval(snapshotTimer);
    clearInterval(heartbeatTimer);
    snapshotTimer = heartbeatTimer = undefined;
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
        ...(receiver.after !== undefined && { after: receiver.after }),
      });
      if (!subscription) return undefined;
      const close = (): void => {
        subscription.close();
        if (streams.delete(stream)) adjustTimers();
      };
      const stream = {
        beat(time: number) {
          if (blockedAt === undefined) write(': heartbeat\n\n');
          else if (time - blockedAt >= stallMs) stream.end();
        },
        end() {
          close();
          receiver.end();
        },
      };
      streams.add(stream);
      adjustTimers();
      // An id from the start: a receiver that reconnects before its first event gets what it missed.
      write(receiver.after === undefined ? `retry: 5000\nid: ${bus.lastId()}\n\n` : 'retry: 5000\n\n');
      // Only the first receiver triggers a snapshot: a client that keeps reconnecting must not cause work for all others.
      if (streams.size === 1) publishSnapshots();
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
