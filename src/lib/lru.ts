/** A map that forgets what was not asked for longest, so that keys from outside cannot fill the memory. */
export interface Lru<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  clear(): void;
  readonly size: number;
}

/** A bounded map of at most `max` entries. */
export function lru<K, V>(max: number): Lru<K, V> {
  // A Map keeps its order of insertion: the first key is the one unused for longest.
  const entries = new Map<K, V>();
  return {
    get size() {
      return entries.size;
    },
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      for (const oldest of entries.size > max ? [entries.keys().next().value] : [])
        if (oldest !== undefined) entries.delete(oldest);
    },
    clear: () => entries.clear(),
  };
}
