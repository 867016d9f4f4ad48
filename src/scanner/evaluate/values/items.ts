import type { Machine } from '../interpreter/abstract-machine.js';
import { constant, listValue, type Value } from './values.js';

/** Items of an iterable. */
interface Items {
  readonly items: readonly Value[];
  /** True if there may be more items. */
  readonly open: boolean;
}

/** Items of an iterable, as far as known. */
export function itemsOf(machine: Machine, value: Value, over: 'values' | 'keys'): Items {
  switch (value.kind) {
    case 'list':
      return over === 'keys'
        ? { items: value.items.map((_, index) => constant(String(index))), open: value.open }
        : { items: [...value.items], open: value.open };
    case 'object':
      return objectItems(value, over);
    case 'constant':
      return typeof value.value === 'string' && over === 'values'
        ? { items: [...value.value].map(constant), open: false }
        : { items: [], open: false };
    case 'choice': {
      const all = value.options
        // Numbers and null cannot be iterated over; that option would throw.
        .filter((option) => option.kind !== 'constant' || typeof option.value === 'string')
        .map((option) => itemsOf(machine, option, over));
      return { items: all.flatMap((each) => each.items), open: all.some((each) => each.open) };
    }
    case 'class':
      // Iterating over a Python enum yields its members.
      return {
        items: [...value.statics.values()].filter((each) => each.kind === 'object' && each.cls === value),
        open: false,
      };
    default:
      return { items: [], open: true };
  }
}

function objectItems(value: Value & { kind: 'object' }, over: 'values' | 'keys'): Items {
  const { collection } = value;
  if (collection?.of === 'set') return { items: [...collection.values], open: value.open };
  if (collection?.of === 'map')
    return {
      items: collection.keys.map((key, index) => listValue([key, collection.values[index] ?? constant(undefined)])),
      open: value.open,
    };
  // Entries under a computed key have a placeholder name, which is no key of the program.
  const keys = [...value.props.keys(), ...value.getters.keys()].filter((key) => !key.startsWith('\u0000'));
  // A Python dict iterates over its keys; a plain JavaScript object only by its keys.
  void over;
  return { items: keys.map(constant), open: value.open };
}
