/** Where someone stands in a crowd; needed to leave it, and good for nothing else. */
export interface LinkedNode<T> {
  readonly item: T;
  before: LinkedNode<T> | undefined;
  after: LinkedNode<T> | undefined;
  isLinked: boolean;
}

/**
 * Those who are here now, in the order they came. For what comes and goes with every call: the tables that a Set or Map outgrows
 * stay chained to their successors, so that each call it ever held would live until the next full collection of garbage.
 */
export interface LinkedSet<T> extends Iterable<T> {
  readonly size: number;
  readonly first: LinkedNode<T> | undefined;
  add(item: T): LinkedNode<T>;
  /** Leaving twice is leaving once. */
  remove(place: LinkedNode<T>): void;
  /** Lines up again as the last. */
  moveToEnd(place: LinkedNode<T>): void;
  clear(): void;
}

export function linkedSet<T>(): LinkedSet<T> {
  let first: LinkedNode<T> | undefined;
  let last: LinkedNode<T> | undefined;
  let size = 0;

  const append = (place: LinkedNode<T>): void => {
    place.before = last;
    if (last === undefined) first = place;
    else last.after = place;
    last = place;
  };
  const unlink = (place: LinkedNode<T>): void => {
    if (place.before === undefined) first = place.after;
    else place.before.after = place.after;
    if (place.after === undefined) last = place.before;
    else place.after.before = place.before;
    // One who left must not hold on to those who came later: old garbage that points at new is kept alive with it.
    place.before = undefined;
    place.after = undefined;
  };
  const leave = (place: LinkedNode<T>): void => {
    if (!place.isLinked) return;
    place.isLinked = false;
    size -= 1;
    unlink(place);
  };
  const places = (): readonly LinkedNode<T>[] => {
    const all: LinkedNode<T>[] = [];
    for (let place = first; place !== undefined; place = place.after) all.push(place);
    return all;
  };

  return {
    get size() {
      return size;
    },
    get first() {
      return first;
    },
    add(item) {
      const place: LinkedNode<T> = { item, before: undefined, after: undefined, isLinked: true };
      size += 1;
      append(place);
      return place;
    },
    remove: leave,
    moveToEnd(place) {
      if (!place.isLinked || place === last) return;
      unlink(place);
      append(place);
    },
    clear() {
      for (const place of places()) leave(place);
    },
    *[Symbol.iterator]() {
      // Whoever is called may have others leave; they are not called any more.
      for (const place of places()) if (place.isLinked) yield place.item;
    },
  };
}
