import { call } from '../calls.js';
import { itemsOf } from '../iterate.js';
import { maybe, type Machine } from '../machine.js';
import {
  constant,
  join,
  list,
  native,
  nothing,
  stringOf,
  truth,
  unknown,
  type Args,
  type ListValue,
  type Place,
  type Value,
} from '../values.js';
import { joined } from './strings.js';

type ListMethod = (machine: Machine, self: ListValue, args: Args, at: Place) => Value;

const apply = (machine: Machine, fn: Value | undefined, items: Value[], at: Place): Value =>
  fn
    ? call(machine, {
        callee: fn,
        method: '',
        args: { positional: items, named: new Map(), open: false },
        at,
        isNew: false,
      })
    : unknown('callback');

const number = (value: Value | undefined): number | undefined =>
  value?.kind === 'constant' && typeof value.value === 'number' ? value.value : undefined;

/** Calls back once with an unknown item where a list may hold more than is known. */
const beyond = (machine: Machine, self: ListValue, fn: Value | undefined, at: Place): void => {
  if (self.open) maybe(machine, () => apply(machine, fn, [unknown('item')], at));
};

const keep: ListMethod = (machine, self, { positional: [test] }, at) =>
  list(
    self.items.filter((item, index) => truth(apply(machine, test, [item, constant(index)], at)) !== false),
    self.open,
  );

const mapped: ListMethod = (machine, self, { positional: [fn] }, at) => {
  beyond(machine, self, fn, at);
  return list(
    self.items.map((item, index) => apply(machine, fn, [item, constant(index), self], at)),
    self.open,
  );
};

const flat = (machine: Machine, made: Value): Value => {
  if (made.kind !== 'list') return made;
  let open = made.open;
  const items = made.items.flatMap((item) => {
    if (item.kind !== 'list' && item.kind !== 'choice') return [item];
    const inner = itemsOf(machine, item, 'values');
    open ||= inner.open;
    return [...inner.items];
  });
  return list(items, open);
};

const found: ListMethod = (machine, self, { positional: [test] }, at) => {
  let maybeFound: Value | undefined;
  for (const [index, item] of self.items.entries()) {
    const answer = truth(apply(machine, test, [item, constant(index)], at));
    if (answer === true) return maybeFound ? join(maybeFound, item) : item;
    if (answer === undefined) maybeFound = join(maybeFound, item);
  }
  return maybeFound ?? (self.open ? unknown('found') : nothing);
};

const push: ListMethod = (machine, self, { positional, open }) => {
  self.items.push(...positional.slice(0, 20_000));
  self.open ||= open;
  void machine;
  return constant(self.items.length);
};

const extend: ListMethod = (machine, self, { positional: [more] }) => {
  const inner = itemsOf(machine, more ?? nothing, 'values');
  self.items.push(...inner.items.slice(0, 20_000));
  self.open ||= inner.open;
  return nothing;
};

const methods: Readonly<Record<string, ListMethod>> = {
  push,
  append: push,
  add: push,
  unshift: (_machine, self, { positional }) => {
    self.items.unshift(...positional);
    return constant(self.items.length);
  },
  insert: (_machine, self, { positional: [at, value] }) => {
    self.items.splice(number(at) ?? self.items.length, 0, value ?? nothing);
    return nothing;
  },
  extend,
  // A Python set is told as a list.
  update: extend,
  concat: (machine, self, { positional }) => {
    const made = list([...self.items], self.open);
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
  map: mapped,
  forEach: (machine, self, args, at) => {
    mapped(machine, self, args, at);
    return nothing;
  },
  flatMap: (machine, self, args, at) => flat(machine, mapped(machine, self, args, at)),
  flat: (machine, self) => flat(machine, self),
  filter: keep,
  find: found,
  some: (machine, self, args, at) => {
    const kept = self.items.map((item) => truth(apply(machine, args.positional[0], [item], at)));
    return kept.includes(true)
      ? constant(true)
      : kept.includes(undefined) || self.open
        ? unknown('some')
        : constant(false);
  },
  every: (machine, self, args, at) => {
    const kept = self.items.map((item) => truth(apply(machine, args.positional[0], [item], at)));
    return kept.includes(false)
      ? constant(false)
      : kept.includes(undefined) || self.open
        ? unknown('every')
        : constant(true);
  },
  reduce: (machine, self, { positional: [fn, start] }, at) => {
    let all = start ?? self.items[0] ?? nothing;
    for (const [index, item] of self.items.slice(start ? 0 : 1).entries())
      all = apply(machine, fn, [all, item, constant(index)], at);
    return all;
  },
  slice: (_machine, self, { positional: [from, to] }) =>
    list(self.items.slice(number(from) ?? 0, number(to)), self.open),
  at: (_machine, self, { positional: [index] }) => self.items.at(number(index) ?? 0) ?? nothing,
  pop: (_machine, self) => self.items.pop() ?? nothing,
  shift: (_machine, self) => self.items.shift() ?? nothing,
  sort: (_machine, self) => self,
  toSorted: (_machine, self) => self,
  reverse: (_machine, self) => self,
  toReversed: (_machine, self) => self,
  copy: (_machine, self) => list([...self.items], self.open),
  join: (_machine, self, { positional: [by] }) => joined(stringOf(by) ?? ',', self) ?? unknown('join'),
  includes: (_machine, self, { positional: [wanted] }) => {
    if (wanted?.kind !== 'constant') return unknown('includes');
    if (self.items.some((item) => item.kind === 'constant' && item.value === wanted.value)) return constant(true);
    return self.open || self.items.some((item) => item.kind !== 'constant') ? unknown('includes') : constant(false);
  },
  entries: (_machine, self) =>
    list(
      self.items.map((item, index) => list([constant(index), item])),
      self.open,
    ),
  values: (_machine, self) => list([...self.items], self.open),
  keys: (_machine, self) =>
    list(
      self.items.map((_, index) => constant(index)),
      self.open,
    ),
};

/** The method of a list, bound to it. */
export function listMethod(machine: Machine, self: ListValue, name: string): Value | undefined {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method && native(name, (args, at) => method(machine, self, args, at));
}
