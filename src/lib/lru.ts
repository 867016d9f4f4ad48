import { crowd } from './crowd.js';
import type { Place } from './crowd.js';

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
  const order = crowd<Entry<K, V>>();
  const places = new Map<K, Place<Entry<K, V>>>();
  const drop = (place: Place<Entry<K, V>>): void => {
    order.leave(place);
    places.delete(place.item.key);
  };
  return {
    get size() {
      return places.size;
    },
    get(key) {
      const place = places.get(key);
      if (place === undefined) return undefined;
      order.toEnd(place);
      return place.item.value;
    },
    set(key, value) {
      const place = places.get(key);
      if (place !== undefined) {
        place.item.value = value;
        order.toEnd(place);
        return;
      }
      places.set(key, order.enter({ key, value }));
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
