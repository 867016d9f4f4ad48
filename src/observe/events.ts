import type { JsonObject } from '../core/json.js';

/** Types of observable gateway events. */
const eventTypes = [
  'health',
  'metrics',
  'call',
  'breaker',
  'registry',
  'config',
  'approval',
  'source',
  'audit',
  'dropped',
] as const;
type EventType = (typeof eventTypes)[number];

export interface GatewayEvent {
  /** Increases by one per published event. */
  readonly id: number;
  readonly type: EventType;
  readonly at: string;
  readonly data: JsonObject;
}

interface SubscribeOptions {
  /** Receives an event; false means accepted, but no more until `resume` (backpressure). */
  readonly deliver: (event: GatewayEvent) => boolean;
  /** Filter for events; absent means all. */
  readonly wants?: (event: GatewayEvent) => boolean;
}

interface Subscription {
  /** Resumes delivery: queued events follow, after a `dropped` event if some were discarded. */
  resume(): void;
  close(): void;
}

/** Publishes events to subscribers; a slow one loses the oldest events from its queue and never blocks the others. */
export interface EventBus {
  publish(type: EventType, data: JsonObject): void;
  /** Whether there are subscribers, for publishers with expensive data. */
  hasSubscribers(): boolean;
  /** Undefined if the maximum number of subscribers is reached. */
  subscribe(options: SubscribeOptions): Subscription | undefined;
  close(): void;
}

interface EventBusOptions {
  /** Queue length per slow subscriber. */
  readonly queue?: number;
  readonly maxSubscribers?: number;
  readonly now?: () => Date;
}

interface Subscriber extends SubscribeOptions {
  readonly waiting: GatewayEvent[];
  blocked: boolean;
  dropped: number;
}

export function eventBus({
  queue = 256,
  maxSubscribers = 100,
  now = () => new Date(),
}: EventBusOptions = {}): EventBus {
  const subscribers = new Set<Subscriber>();
  let id = 0;

  const deliver = (to: Subscriber, event: GatewayEvent): void => {
    try {
      to.blocked = !to.deliver(event);
    } catch {
      // A subscriber that throws is removed; it must not affect the publisher or the others.
      subscribers.delete(to);
    }
  };
  const enqueue = (to: Subscriber, event: GatewayEvent): void => {
    if (to.wants && !to.wants(event)) return;
    if (!to.blocked) return deliver(to, event);
    if (to.waiting.length >= queue) {
      to.waiting.shift();
      to.dropped++;
    }
    to.waiting.push(event);
  };
  const resume = (to: Subscriber): void => {
    to.blocked = false;
    if (to.dropped > 0) {
      const count = to.dropped;
      to.dropped = 0;
      deliver(to, { id, type: 'dropped', at: now().toISOString(), data: { count } });
    }
    while (!to.blocked && subscribers.has(to)) {
      const event = to.waiting.shift();
      if (!event) return;
      deliver(to, event);
    }
  };

  return {
    publish(type, data) {
      if (subscribers.size === 0) return;
      const event: GatewayEvent = { id: ++id, type, at: now().toISOString(), data };
      for (const to of subscribers) enqueue(to, event);
    },
    hasSubscribers: () => subscribers.size > 0,
    subscribe(options) {
      if (subscribers.size >= maxSubscribers) return undefined;
      const subscriber: Subscriber = { ...options, waiting: [], blocked: false, dropped: 0 };
      subscribers.add(subscriber);
      return {
        resume: () => subscribers.has(subscriber) && resume(subscriber),
        close: () => void subscribers.delete(subscriber),
      };
    },
    close: () => subscribers.clear(),
  };
}
