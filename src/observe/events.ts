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
  'reset',
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
  /** Id of the last event that the subscriber got on an earlier connection: what followed is delivered first. */
  readonly after?: number;
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
  /** Id of the latest event: a subscriber that starts here has missed nothing. */
  lastId(): number;
  /** Undefined if the maximum number of subscribers is reached. */
  subscribe(options: SubscribeOptions): Subscription | undefined;
  close(): void;
}

interface EventBusOptions {
  /** Queue length per slow subscriber. */
  readonly queue?: number;
  /** Events kept for subscribers that reconnect. */
  readonly replay?: number;
  /** Events are kept for this long after the last subscriber left; a gateway without subscribers builds none. */
  readonly lingerMs?: number;
  /** Id before the first event; by default after all ids of earlier runs, so that an old id is recognised. */
  readonly firstId?: number;
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
  replay = 1_000,
  lingerMs = 120_000,
  firstId = Date.now() * 1_000,
  maxSubscribers = 100,
  now = () => new Date(),
}: EventBusOptions = {}): EventBus {
  const subscribers = new Set<Subscriber>();
  let id = firstId;
  let recent: GatewayEvent[] = [];
  let watchedUntil = 0;
  const isWatched = (): boolean => subscribers.size > 0 || now().getTime() < watchedUntil;
  const remember = (event: GatewayEvent): void => {
    recent.push(event);
    // In chunks: moving a thousand references for each event would cost more than the event.
    if (recent.length >= 2 * replay) recent = recent.slice(-replay);
  };
  const leave = (subscriber: Subscriber): void => {
    if (!subscribers.delete(subscriber) || subscribers.size > 0) return;
    watchedUntil = now().getTime() + lingerMs;
  };

  const deliver = (to: Subscriber, event: GatewayEvent): void => {
    try {
      to.blocked = !to.deliver(event);
    } catch {
      // A subscriber that throws is removed; it must not affect the publisher or the others.
      leave(to);
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

  /** Delivers what a subscriber missed, or `reset` if some of it is no longer kept. */
  const catchUp = (to: Subscriber, after: number): void => {
    const oldest = recent[0]?.id ?? id + 1;
    const isComplete = after >= oldest - 1 && after <= id;
    if (!isComplete) enqueue(to, { id, type: 'reset', at: now().toISOString(), data: {} });
    else for (const event of recent) if (event.id > after) enqueue(to, event);
  };

  return {
    publish(type, data) {
      // Snapshots are repeated anyway; everything else is kept for subscribers that return.
      if (!isWatched()) {
        recent = [];
        return;
      }
      const event: GatewayEvent = { id: ++id, type, at: now().toISOString(), data };
      if (type !== 'health' && type !== 'metrics') remember(event);
      for (const to of subscribers) enqueue(to, event);
    },
    hasSubscribers: isWatched,
    lastId: () => id,
    subscribe(options) {
      if (subscribers.size >= maxSubscribers) return undefined;
      const subscriber: Subscriber = { ...options, waiting: [], blocked: false, dropped: 0 };
      if (subscribers.size === 0 && now().getTime() >= watchedUntil) recent = [];
      subscribers.add(subscriber);
      if (options.after !== undefined) catchUp(subscriber, options.after);
      return {
        resume: () => subscribers.has(subscriber) && resume(subscriber),
        close: () => leave(subscriber),
      };
    },
    close: () => subscribers.clear(),
  };
}
