import { call } from '../calls/calls.js';
import { itemsOf } from '../values/items.js';
import { runUncertain, type Machine } from '../interpreter/abstract-machine.js';
import {
  constant,
  join,
  listValue,
  native,
  undefinedValue,
  stringOf,
  truth,
  unknown,
  type Args,
  type ListValue,
  type Place,
  type Value,
} from '../values/values.js';
import { joinText } from './strings.js';

type ListMethod = (machine: Machine, self: ListValue, args: Args, at: Place) => Value;

const applyCallback = (machine: Machine, fn: Value | undefined, items: Value[], at: Place): Value =>
  fn
    ? call(machine, {
        callee: fn,
        method: '',
        args: { positional: items, named: new Map(), open: false },
        at,
        isNew: false,
      })
    : unknown('callback');

const toNumber = (value: Value | undefined): number | undefined =>
  value?.kind === 'constant' && typeof value.value === 'number' ? value.value : undefined;

/** Calls the callback once with an unknown item if the list is open. */
const visitUnknownItem = (machine: Machine, self: ListValue, fn: Value | undefined, at: Place): void => {
  if (self.open) runUncertain(machine, () => applyCallback(machine, fn, [unknown('item')], at));
};

const filterItems: ListMethod = (machine, self, { positional: [test] }, at) =>
  listValue(
    self.items.filter((item, index) => truth(applyCallback(machine, test, [item, constant(index)], at)) !== false),
    self.open,
  );

const mapItems: ListMethod = (machine, self, { positional: [fn] }, at) => {
  visitUnknownItem(machine, self, fn, at);
  return listValue(
    self.items.map((item, index) => applyCallback(machine, fn, [item, constant(index), self], at)),
    self.open,
  );
};

const flatten = (machine: Machine, made: Value): Value => {
  if (made.kind !== 'list') return made;
  let open = made.open;
  const items = made.items.flatMap((item) => {
    if (item.kind !== 'list' && item.kind !== 'choice') return [item];
    const inner = itemsOf(machine, item, 'values');
    open ||= inner.open;
    return [...inner.items];
  });
  return listValue(items, open);
};

const findItem: ListMethod = (machine, self, { positional: [test] }, at) => {
  let maybeFound: Value | undefined;
  for (const [index, item] of self.items.entries()) {
    const answer = truth(applyCallback(machine, test, [item, constant(index)], at));
    if (answer === true) return maybeFound ? join(maybeFound, item) : item;
    if (answer === undefined) maybeFound = join(maybeFound, item);
  }
  return maybeFound ?? (self.open ? unknown('found') : undefinedValue);
};

const pushItems: ListMethod = (machine, self, { positional, open }) => {
  self.items.push(...positional.slice(0, 20_000));
  self.open ||= open;
  void machine;
  return constant(self.items.length);
};

const extend: ListMethod = (machine, self, { positional: [more] }) => {
  const inner = itemsOf(machine, more ?? undefinedValue, 'values');
  self.items.push(...inner.items.slice(0, 20_000));
  self.open ||= inner.open;
  return undefinedValue;
};

const listMethods: Readonly<Record<string, ListMethod>> = {
  push: pushItems,
  append: pushItems,
  add: pushItems,
  unshift: (_machine, self, { positional }) => {
    self.items.unshift(...positional);
    return constant(self.items.length);
  },
  insert: (_machine, self, { positional: [at, value] }) => {
    self.items.splice(toNumber(at) ?? self.items.length, 0, value ?? undefinedValue);
    return undefinedValue;
  },
  extend,
  // A Python set is represented as a list.
  update: extend,
  concat: (machine, self, { positional }) => {
    const made = listValue([...self.items], self.open);
    for (const each of positional) {
      if (each.kind === 'list' || each.kind === 'choice')
        extend(
          machine,
          made,
          { positional: [each], named: new Map(), open: false },
          { module: undefined as never, spot: { start: 0, end: 0 } },
        );
      else if (each.kind === 'unknown' || each.kind === 'external' || each.kind === 'result') made.open = true;
      else made.items.push(each);
    }
    return made;
  },
  map: mapItems,
  forEach: (machine, self, args, at) => {
    mapItems(machine, self, args, at);
    return undefinedValue;
  },
  flatMap: (machine, self, args, at) => flatten(machine, mapItems(machine, self, args, at)),
  flat: (machine, self) => flatten(machine, self),
  filter: filterItems,
  find: findItem,
  some: (machine, self, args, at) => {
    const kept = self.items.map((item) => truth(applyCallback(machine, args.positional[0], [item], at)));
    return kept.includes(true)
      ? constant(true)
      : kept.includes(undefined) || self.open
        ? unknown('some')
        : constant(false);
  },
  every: (machine, self, args, at) => {
    const kept = self.items.map((item) => truth(applyCallback(machine, args.positional[0], [item], at)));
    return kept.includes(false)
      ? constant(false)
      : kept.includes(undefined) || self.open
        ? unknown('every')
        : constant(true);
  },
  reduce: (machine, self, { positional: [fn, start] }, at) => {
    let all = start ?? self.items[0] ?? undefinedValue;
    for (const [index, item] of self.items.slice(start ? 0 : 1).entries())
      all = applyCallback(machine, fn, [all, item, constant(index)], at);
    return all;
  },
  slice: (_machine, self, { positional: [from, to] }) =>
    listValue(self.items.slice(toNumber(from) ?? 0, toNumber(to)), self.open),
  at: (_machine, self, { positional: [index] }) => self.items.at(toNumber(index) ?? 0) ?? undefinedValue,
  pop: (_machine, self) => self.items.pop() ?? undefinedValue,
  shift: (_machine, self) => self.items.shift() ?? undefinedValue,
  sort: (_machine, self) => self,
  toSorted: (_machine, self) => self,
  reverse: (_machine, self) => self,
  toReversed: (_machine, self) => self,
  copy: (_machine, self) => listValue([...self.items], self.open),
  join: (_machine, self, { positional: [by] }) => joinText(stringOf(by) ?? ',', self) ?? unknown('join'),
  includes: (_machine, self, { positional: [wanted] }) => {
    if (wanted?.kind !== 'constant') return unknown('includes');
    if (self.items.some((item) => item.kind === 'constant' && item.value === wanted.value)) return constant(true);
    return self.open || self.items.some((item) => item.kind !== 'constant') ? unknown('includes') : constant(false);
  },
  entries: (_machine, self) =>
    listValue(
      self.items.map((item, index) => listValue([constant(index), item])),
      self.open,
    ),
  values: (_machine, self) => listValue([...self.items], self.open),
  keys: (_machine, self) =>
    listValue(
      self.items.map((_, index) => constant(index)),
      self.open,
    ),
};

/** Built-in method of a list, bound to it. */
export function listMethod(machine: Machine, self: ListValue, name: string): Value | undefined {
  const method = Object.hasOwn(listMethods, name) ? listMethods[name] : undefined;
  return method && native(name, (args, at) => method(machine, self, args, at));
}
