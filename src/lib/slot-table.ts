/** Things that wait under numbers of our own; numbers rise and none is given twice. */
export interface SlotTable<T> {
  readonly size: number;
  add(item: T): number;
  get(number: unknown): T | undefined;
  delete(number: number): void;
  values(): readonly T[];
}

interface Slot<T> {
  readonly number: number;
  readonly item: T;
}

const fewest = 8;

/**
 * A table with as many slots as ever waited at once. Not a Map, for the reason told at `Crowd`: what comes and goes with
 * every call would be kept alive by tables that the Map has outgrown.
 */
export function slotTable<T>(): SlotTable<T> {
  let slots: (Slot<T> | undefined)[] = emptySlots(fewest);
  let size = 0;
  let next = 1;

  const place = (number: number): number => number & (slots.length - 1);
  const grow = (): void => {
    const before = slots;
    slots = emptySlots(2 * before.length);
    // Numbers that differ in their last bits differ in one bit more, too.
    for (const slot of before) if (slot !== undefined) slots[place(slot.number)] = slot;
  };

  return {
    get size() {
      return size;
    },
    add(item) {
      if (size === slots.length) grow();
      while (slots[place(next)] !== undefined) next += 1;
      const number = next;
      next += 1;
      slots[place(number)] = { number, item };
      size += 1;
      return number;
    },
    get(number) {
      if (typeof number !== 'number') return undefined;
      const slot = slots[place(number)];
      return slot?.number === number ? slot.item : undefined;
    },
    delete(number) {
      if (slots[place(number)]?.number !== number) return;
      slots[place(number)] = undefined;
      size -= 1;
    },
    values: () => slots.flatMap((slot) => (slot === undefined ? [] : [slot.item])),
  };
}

const emptySlots = <T>(count: number): (Slot<T> | undefined)[] => Array.from({ length: count }, () => undefined);
