import { linkedSet } from './linked-set.js';
import type { LinkedNode } from './linked-set.js';

/** Map that evicts the least recently used entry, so that keys from outside cannot exhaust memory. */
interface Lru<K, V> extends Iterable<readonly [key: K, value: V]> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
  clear(): void;
  readonly size: number;
}

interface LruEntry<K, V> {
  readonly key: K;
  value: V;
}

/** Creates a least-recently-used map of at most `max` entries; the limit may change while it is in use. */
export function lru<K, V>(max: number | (() => number)): Lru<K, V> {
  const limit = typeof max === 'number' ? () => max : max;
  // The order of use is separate: deleting and re-inserting a key in a Map would rebuild its hash table every few look-ups.
  const order = linkedSet<LruEntry<K, V>>();
  const nodes = new Map<K, LinkedNode<LruEntry<K, V>>>();
  const drop = (node: LinkedNode<LruEntry<K, V>>): void => {
    order.remove(node);
    nodes.delete(node.item.key);
  };
  return {
    get size() {
      return nodes.size;
    },
    get(key) {
      const node = nodes.get(key);
      if (node === undefined) return undefined;
      order.moveToEnd(node);
      return node.item.value;
    },
    set(key, value) {
      const node = nodes.get(key);
      if (node !== undefined) {
        node.item.value = value;
        order.moveToEnd(node);
        return;
      }
      nodes.set(key, order.add({ key, value }));
      const most = limit();
      while (nodes.size > most && order.first !== undefined) drop(order.first);
    },
    delete(key) {
      const node = nodes.get(key);
      if (node !== undefined) drop(node);
    },
    clear() {
      order.clear();
      nodes.clear();
    },
    *[Symbol.iterator]() {
      for (const { key, value } of order) yield [key, value] as const;
    },
  };
}
