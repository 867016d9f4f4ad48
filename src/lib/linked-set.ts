/** Handle of a list node, needed to remove it. */
export interface LinkedNode<T> {
  readonly item: T;
  previous: LinkedNode<T> | undefined;
  next: LinkedNode<T> | undefined;
  isLinked: boolean;
}

/**
 * Insertion-ordered set as a doubly linked list, for entries that come and go with every call. A Set or Map keeps its outgrown
 * hash tables chained to their successors, so that each call it ever held would live until the next full garbage collection.
 */
interface LinkedSet<T> extends Iterable<T> {
  readonly size: number;
  readonly first: LinkedNode<T> | undefined;
  readonly last: LinkedNode<T> | undefined;
  add(item: T): LinkedNode<T>;
  /** Idempotent. */
  remove(node: LinkedNode<T>): void;
  /** Moves a node to the end, for least-recently-used order. */
  moveToEnd(node: LinkedNode<T>): void;
  clear(): void;
}

export function linkedSet<T>(): LinkedSet<T> {
  let first: LinkedNode<T> | undefined;
  let last: LinkedNode<T> | undefined;
  let size = 0;

  const append = (node: LinkedNode<T>): void => {
    node.previous = last;
    if (last === undefined) first = node;
    else last.next = node;
    last = node;
  };
  const unlink = (node: LinkedNode<T>): void => {
    if (node.previous === undefined) first = node.next;
    else node.previous.next = node.next;
    if (node.next === undefined) last = node.previous;
    else node.next.previous = node.previous;
    // A removed node must not reference later ones: an old-space object keeps every young object it points to alive.
    node.previous = undefined;
    node.next = undefined;
  };
  const removeNode = (node: LinkedNode<T>): void => {
    if (!node.isLinked) return;
    node.isLinked = false;
    size -= 1;
    unlink(node);
  };
  const snapshot = (): readonly LinkedNode<T>[] => {
    const all: LinkedNode<T>[] = [];
    for (let node = first; node !== undefined; node = node.next) all.push(node);
    return all;
  };

  return {
    get size() {
      return size;
    },
    get first() {
      return first;
    },
    get last() {
      return last;
    },
    add(item) {
      const node: LinkedNode<T> = { item, previous: undefined, next: undefined, isLinked: true };
      size += 1;
      append(node);
      return node;
    },
    remove: removeNode,
    moveToEnd(node) {
      if (!node.isLinked || node === last) return;
      unlink(node);
      append(node);
    },
    clear() {
      for (const node of snapshot()) removeNode(node);
    },
    *[Symbol.iterator]() {
      // Consumers may remove other nodes while iterating; removed ones are skipped.
      for (const node of snapshot()) if (node.isLinked) yield node.item;
    },
  };
}
