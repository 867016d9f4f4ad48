/** Slot table keyed by monotonically increasing ids, for pending requests; no id is used twice. */
export interface SlotTable<T> {
  readonly size: number;
  add(item: T): number;
  get(id: unknown): T | undefined;
  delete(id: number): void;
  values(): readonly T[];
}

interface Slot<T> {
  readonly id: number;
  readonly item: T;
}

const initialSlots = 8;

/**
 * Creates a table with as many slots as were ever pending at once. Not a Map, for the reason given at `LinkedSet`: entries that
 * come and go with every call would be kept alive by hash tables the Map has outgrown.
 */
export function slotTable<T>(): SlotTable<T> {
  let slots: (Slot<T> | undefined)[] = emptySlots(initialSlots);
  let size = 0;
  let next = 1;

  const indexFor = (id: number): number => id & (slots.length - 1);
  const grow = (): void => {
    const before = slots;
    slots = emptySlots(2 * before.length);
    // Ids that differ in their low bits still differ with one bit more, so there are no collisions.
    for (const slot of before) if (slot !== undefined) slots[indexFor(slot.id)] = slot;
  };

  return {
    get size() {
      return size;
    },
    add(item) {
      if (size === slots.length) grow();
      while (slots[indexFor(next)] !== undefined) next += 1;
      const id = next;
      next += 1;
      slots[indexFor(id)] = { id, item };
      size += 1;
      return id;
    },
    get(id) {
      // Ids come back from the peer, so they may be of any type.
      if (typeof id !== 'number') return undefined;
      const slot = slots[indexFor(id)];
      return slot?.id === id ? slot.item : undefined;
    },
    delete(id) {
      if (slots[indexFor(id)]?.id !== id) return;
      slots[indexFor(id)] = undefined;
      size -= 1;
    },
    values: () => slots.flatMap((slot) => (slot === undefined ? [] : [slot.item])),
  };
}

const emptySlots = <T>(count: number): (Slot<T> | undefined)[] => Array.from({ length: count }, () => undefined);
