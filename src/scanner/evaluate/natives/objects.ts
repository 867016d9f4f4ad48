import { call } from '../calls.js';
import { itemsOf } from '../iterate.js';
import type { Machine } from '../machine.js';
import { memberOf, setMember } from '../members.js';
import {
  constant,
  joinAll,
  list,
  native,
  nothing,
  object,
  stringOf,
  unknown,
  type Args,
  type ObjectValue,
  type Place,
  type Value,
} from '../values.js';

/** The names of an object's own properties. */
export const keysOf = (self: ObjectValue): string[] =>
  [...self.props.keys(), ...self.getters.keys()].filter((key) => !key.startsWith('\u0000') && key !== '__esModule');

const valuesOf = (machine: Machine, self: ObjectValue): Value[] => [
  ...self.props.values(),
  ...[...self.getters.keys()].map((key) => memberOf(machine, self, key)),
];

/** `[key, value]` of each property; a key that is not known is said to be. */
export const pairsOf = (machine: Machine, self: ObjectValue): Value[] => [
  ...[...self.props]
    .filter(([key]) => key !== '__esModule')
    .map(([key, value]) => list([key.startsWith('\u0000') ? unknown('key') : constant(key), value])),
  ...[...self.getters.keys()].map((key) => list([constant(key), memberOf(machine, self, key)])),
];

const indexes = new WeakMap<Value[], Map<unknown, number>>();

/** Where a key stands; an index of the constants keeps large collections from being searched through. */
function indexOf(keys: Value[], key: Value | undefined): number {
  if (!key) return -1;
  if (key.kind !== 'constant') return keys.indexOf(key);
  const index = indexes.get(keys) ?? new Map<unknown, number>();
  indexes.set(keys, index);
  for (let at = index.get(indexes) ?? 0; at < keys.length; at += 1) {
    const each = keys[at];
    if (each?.kind === 'constant' && !index.has(each.value)) index.set(each.value, at);
    // The map itself is the key under which it is remembered how far it reaches.
    index.set(indexes, at + 1);
  }
  return index.get(key.value) ?? -1;
}

type Collection = NonNullable<ObjectValue['collection']>;

/** Methods of a JavaScript Map or Set, or a Python set. */
function collectionMethod(
  machine: Machine,
  self: ObjectValue,
  { of, keys, values }: Collection,
  name: string,
): ((args: Args, at: Place) => Value) | undefined {
  const find = (key: Value | undefined) => indexOf(keys, key);
  switch (name) {
    case 'set':
      return ({ positional: [key, value] }) => {
        const index = find(key);
        if (index >= 0) values[index] = value ?? nothing;
        else {
          keys.push(key ?? nothing);
          values.push(value ?? nothing);
        }
        return self;
      };
    case 'add':
      return ({ positional: [value] }) => {
        if (value && indexOf(keys, value) < 0) {
          keys.push(value);
          values.push(value);
        }
        return self;
      };
    case 'get':
      return ({ positional: [key] }) =>
        values[find(key)] ?? (key?.kind === 'constant' && !self.open ? nothing : joinAll(values, unknown('entry')));
    case 'has':
      return ({ positional: [key] }) =>
        find(key) >= 0
          ? constant(true)
          : key?.kind === 'constant' && !self.open && keys.every((each) => each.kind === 'constant')
            ? constant(false)
            : unknown('has');
    case 'values':
      return () => list([...values], self.open);
    case 'keys':
      return () => list([...keys], self.open);
    case 'entries':
      return () =>
        list(
          keys.map((key, index) => (of === 'map' ? list([key, values[index] ?? nothing]) : list([key, key]))),
          self.open,
        );
    case 'forEach':
      return ({ positional: [fn] }, at) => {
        keys.forEach(
          (key, index) =>
            fn &&
            call(machine, {
              callee: fn,
              method: '',
              args: { positional: [values[index] ?? nothing, key], named: new Map(), open: false },
              at,
              isNew: false,
            }),
        );
        return nothing;
      };
    default:
      return undefined;
  }
}

/** What `setdefault` leaves under a key that was not there; under one that is not known, any of the values. */
function settled(machine: Machine, self: ObjectValue, key: Value | undefined, value: Value): Value {
  const name = stringOf(key);
  if (name !== undefined) setMember(machine, self, name, value);
  else {
    self.open = true;
    self.props.set(`\u0000${self.props.size}`, value);
  }
  return name === undefined ? joinAll(self.props.values(), value) : value;
}

/** Methods of a Python dictionary, and the few that every JavaScript object has. */
function dictMethod(machine: Machine, self: ObjectValue, name: string): ((args: Args, at: Place) => Value) | undefined {
  switch (name) {
    case 'items':
      return () => list(pairsOf(machine, self), self.open);
    case 'keys':
      return () => list(keysOf(self).map(constant), self.open);
    case 'values':
      return () => list(valuesOf(machine, self), self.open);
    case 'get':
    case 'setdefault':
    case 'pop':
      return ({ positional: [key, otherwise] }) => {
        const found = stringOf(key) === undefined ? undefined : self.props.get(stringOf(key) ?? '');
        if (found) return found;
        if (name === 'setdefault') return settled(machine, self, key, otherwise ?? constant(null));
        if (key?.kind === 'constant' && !self.open) return otherwise ?? constant(null);
        return joinAll(self.props.values(), otherwise ?? unknown('get'));
      };
    case 'update':
      return ({ positional: [more], named }) => {
        if (more?.kind === 'object') {
          for (const [key, value] of more.props) setMember(machine, self, key, value);
          self.open ||= more.open;
        } else if (more) self.open = true;
        for (const [key, value] of named) setMember(machine, self, key, value);
        return nothing;
      };
    case 'copy':
    case 'model_copy':
      return () =>
        object(self.props, { ...(self.cls ? { cls: self.cls } : {}), open: self.open, level: machine.level });
    case 'model_dump':
    case 'dict':
      return self.cls ? () => object(self.props, { open: self.open, level: machine.level }) : undefined;
    case 'hasOwnProperty':
      return ({ positional: [key] }) =>
        stringOf(key) === undefined || self.open ? unknown('own') : constant(self.props.has(stringOf(key) ?? ''));
    default:
      return undefined;
  }
}

/** The built-in method of an object, bound to it. */
export function objectMethod(machine: Machine, self: ObjectValue, name: string): Value | undefined {
  if (name === 'size' && self.collection) return self.open ? unknown('size') : constant(self.collection.values.length);
  const method = self.collection
    ? collectionMethod(machine, self, self.collection, name)
    : dictMethod(machine, self, name);
  return method && native(name, method);
}

/** A new Map or Set filled from what it is given. */
export function collectionFrom(machine: Machine, of: 'map' | 'set', source: Value | undefined): ObjectValue {
  const { items, open } = source ? itemsOf(machine, source, 'values') : { items: [], open: false };
  const keys: Value[] = [];
  const values: Value[] = [];
  for (const item of items) {
    const [key, value] = of === 'map' && item.kind === 'list' ? item.items : [item, item];
    keys.push(key ?? nothing);
    values.push(value ?? nothing);
  }
  return object([], { collection: { of, keys, values }, open, level: machine.level });
}
