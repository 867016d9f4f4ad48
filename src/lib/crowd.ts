/** Where someone stands in a crowd; needed to leave it, and good for nothing else. */
export interface Place<T> {
  readonly item: T;
  before: Place<T> | undefined;
  after: Place<T> | undefined;
  isTaken: boolean;
}

/**
 * Those who are here now, in the order they came. For what comes and goes with every call: the tables that a Set or Map outgrows
 * stay chained to their successors, so that each call it ever held would live until the next full collection of garbage.
 */
export interface Crowd<T> extends Iterable<T> {
  readonly size: number;
  readonly first: Place<T> | undefined;
  enter(item: T): Place<T>;
  /** Leaving twice is leaving once. */
  leave(place: Place<T>): void;
  /** Lines up again as the last. */
  toEnd(place: Place<T>): void;
  clear(): void;
}

export function crowd<T>(): Crowd<T> {
  let first: Place<T> | undefined;
  let last: Place<T> | undefined;
  let size = 0;

  const append = (place: Place<T>): void => {
    place.before = last;
    if (last === undefined) first = place;
    else last.after = place;
    last = place;
  };
  const unlink = (place: Place<T>): void => {
    if (place.before === undefined) first = place.after;
    else place.before.after = place.after;
    if (place.after === undefined) last = place.before;
    else place.after.before = place.before;
    // One who left must not hold on to those who came later: old garbage that points at new is kept alive with it.
    place.before = undefined;
    place.after = undefined;
  };
  const leave = (place: Place<T>): void => {
    if (!place.isTaken) return;
    place.isTaken = false;
    size -= 1;
    unlink(place);
  };
  const places = (): readonly Place<T>[] => {
    const all: Place<T>[] = [];
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
    enter(item) {
      const place: Place<T> = { item, before: undefined, after: undefined, isTaken: true };
      size += 1;
      append(place);
      return place;
    },
    leave,
    toEnd(place) {
      if (!place.isTaken || place === last) return;
      unlink(place);
      append(place);
    },
    clear() {
      for (const place of places()) leave(place);
    },
    *[Symbol.iterator]() {
      // Whoever is called may have others leave; they are not called any more.
      for (const place of places()) if (place.isTaken) yield place.item;
    },
  };
}
