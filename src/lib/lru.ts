import { linkedSet } from './linked-set.js';
import type { LinkedNode } from './linked-set.js';

/** A map that forgets what was not asked for longest, so that keys from outside cannot fill the memory. */
export interface Lru<K, V> extends Iterable<readonly [key: K, value: V]> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
  readonly size: number;
}

interface Entry<K, V> {
  readonly key: K;
  value: V;
}

/** A bounded map of at most `max` entries. */
export function lru<K, V>(max: number): Lru<K, V> {
  // The order of use is kept apart: taking a key out of a Map and putting it back would make a new table every few look-ups.
  const order = linkedSet<Entry<K, V>>();
  const places = new Map<K, LinkedNode<Entry<K, V>>>();
  const drop = (place: LinkedNode<Entry<K, V>>): void => {
    order.remove(place);
    places.delete(place.item.key);
  };
  return {
    get size() {
      return places.size;
    },
    get(key) {
      const place = places.get(key);
      if (place === undefined) return undefined;
      order.moveToEnd(place);
      return place.item.value;
    },
    set(key, value) {
      const place = places.get(key);
      if (place !== undefined) {
        place.item.value = value;
        order.moveToEnd(place);
        return;
      }
      places.set(key, order.add({ key, value }));
      if (places.size > max && order.first !== undefined) drop(order.first);
    },
    delete(key) {
      const place = places.get(key);
      if (place !== undefined) drop(place);
    },
    clear() {
      order.clear();
      places.clear();
    },
    *[Symbol.iterator]() {
      for (const { key, value } of order) yield [key, value] as const;
    },
  };
}
