import { linkedSet } from '../lib/linked-set.js';
import type { LinkedNode } from '../lib/linked-set.js';
import type { Store } from '../state/store.js';

/** What one conversation has touched. */
export interface Memory {
  readonly owner: string;
  readonly labels: Set<string>;
  at: number;
  /** When the store heard of it last; 0 where it never did. */
  writtenAt: number;
}

/** What conversations have touched, apart from the rules about it; it outlives reloads, and with a store restarts. */
export interface FlowMemory {
  readonly size: number;
  get(key: string): Memory | undefined;
  /** The one that was put longest ago. */
  oldest(): { readonly key: string; readonly memory: Memory } | undefined;
  countOf(owner: string): number;
  /** Puts a memory at the end. */
  put(key: string, memory: Memory): void;
  forget(key: string): void;
  /** Keeps what is known now until the given time. */
  write(key: string, expiresAt: number): void;
  /** Takes up what a store remembers, and writes there from now on. */
  keepIn(store: Store): void;
}

const space = 'flows';

export function flowMemory(): FlowMemory {
  // The order is kept apart: taking a key out of a Map and putting it back would make a new table every few calls.
  const order = linkedSet<{ readonly key: string; readonly memory: Memory }>();
  const places = new Map<string, LinkedNode<{ readonly key: string; readonly memory: Memory }>>();
  const counts = new Map<string, number>();
  let store: Store | undefined;

  const count = (owner: string, by: number): void => {
    const now = (counts.get(owner) ?? 0) + by;
    if (now > 0) counts.set(owner, now);
    else counts.delete(owner);
  };
  const put = (key: string, memory: Memory): void => {
    const place = places.get(key);
    if (place?.item.memory === memory) return order.moveToEnd(place);
    if (place === undefined) count(memory.owner, 1);
    else order.remove(place);
    places.set(key, order.add({ key, memory }));
  };

  return {
    get size() {
      return places.size;
    },
    get: (key) => places.get(key)?.item.memory,
    oldest: () => order.first?.item,
    put,
    countOf: (owner) => counts.get(owner) ?? 0,
    forget(key) {
      const place = places.get(key);
      if (place === undefined) return;
      const { memory } = place.item;
      order.remove(place);
      places.delete(key);
      count(memory.owner, -1);
      if (memory.writtenAt > 0) store?.delete(space, JSON.stringify(key));
    },
    write(key, expiresAt) {
      const memory = places.get(key)?.item.memory;
      if (memory === undefined || store === undefined) return;
      memory.writtenAt = memory.at;
      store.put(space, JSON.stringify(key), JSON.stringify([memory.owner, memory.at, ...memory.labels]), { expiresAt });
    },
    keepIn(next) {
      if (store === next) return;
      store = next;
      const found = next.list(space).map(({ key, value }) => {
        const [owner, at, ...labels] = JSON.parse(value) as readonly [string, number, ...string[]]; // only `write` writes there
        return { key: JSON.parse(key) as string, memory: { owner, at, labels: new Set(labels), writtenAt: at } };
      });
      for (const { key, memory } of found.sort((a, b) => a.memory.at - b.memory.at))
        if (!places.has(key)) put(key, memory);
    },
  };
}
