import type { JsonObject } from '../core/json.js';

/** What happens in a gateway that somebody may watch. */
export const eventTypes = [
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
export type EventType = (typeof eventTypes)[number];

export interface GatewayEvent {
  /** Grows by one for every event published. */
  readonly id: number;
  readonly type: EventType;
  readonly at: string;
  readonly data: JsonObject;
}

export interface SubscribeOptions {
  /** Takes an event; false means that it took this one and can take no more until `resume`. */
  readonly deliver: (event: GatewayEvent) => boolean;
  /** Which events this subscriber may see; absent means all. */
  readonly wants?: (event: GatewayEvent) => boolean;
}

export interface Subscription {
  /** Says that more can be taken: what waited is delivered, after a `dropped` event where some had to go. */
  resume(): void;
  close(): void;
}

/** Tells what happens to who listens; a slow listener loses the oldest events of its own queue and delays nobody. */
export interface EventBus {
  publish(type: EventType, data: JsonObject): void;
  /** Whether anybody listens, for publishers whose data is costly. */
  hasSubscribers(): boolean;
  /** Undefined where there are too many already. */
  subscribe(options: SubscribeOptions): Subscription | undefined;
  close(): void;
}

export interface EventBusOptions {
  /** How many events wait for one slow subscriber. */
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
      // A receiver that throws is broken for good; the others and the publisher must not learn of it.
      subscribers.delete(to);
    }
  };
  const give = (to: Subscriber, event: GatewayEvent): void => {
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
      for (const to of subscribers) give(to, event);
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
