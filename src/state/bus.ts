import type { Json } from '../core/json.js';

/** Messages between replicas: fire and forget, because every waiting thing has a deadline and looks for itself. */
export interface Bus {
  readonly replica: string;
  /** To all other replicas, or to one of them. */
  publish(topic: string, message: Json, to?: string): void;
  subscribe(topic: string, listener: (message: Json, from: string) => void): void;
  /** Replicas seen within the last seconds, this one included; during an outage of the bus those seen before it. */
  replicas(now?: number): readonly string[];
}
