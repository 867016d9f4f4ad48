import { call } from '../calls/calls.js';
import { itemsOf } from '../values/items.js';
import type { Machine } from '../interpreter/abstract-machine.js';
import { memberOf, setMember } from '../values/members.js';
import {
  constant,
  joinAll,
  listValue,
  native,
  undefinedValue,
  object,
  stringOf,
  unknown,
  type Args,
  type ObjectValue,
  type Place,
  type Value,
} from '../values/values.js';

/** Names of an object's own properties. */
export const keysOf = (self: ObjectValue): string[] =>
  [...self.props.keys(), ...self.getters.keys()].filter((key) => !key.startsWith('\u0000') && key !== '__esModule');

const valuesOf = (machine: Machine, self: ObjectValue): Value[] => [
  ...self.props.values(),
  ...[...self.getters.keys()].map((key) => memberOf(machine, self, key)),
];

/** `[key, value]` of each property; unknown keys become unknown values. */
export const pairsOf = (machine: Machine, self: ObjectValue): Value[] => [
  ...[...self.props]
    .filter(([key]) => key !== '__esModule')
    .map(([key, value]) => listValue([key.startsWith('\u0000') ? unknown('key') : constant(key), value])),
  ...[...self.getters.keys()].map((key) => listValue([constant(key), memberOf(machine, self, key)])),
];

const indexes = new WeakMap<Value[], Map<unknown, number>>();

/** Position of a key; constants are indexed, so that large collections are not searched linearly. */
function indexOf(keys: Value[], key: Value | undefined): number {
  if (!key) return -1;
  if (key.kind !== 'constant') return keys.indexOf(key);
  const index = indexes.get(keys) ?? new Map<unknown, number>();
  indexes.set(keys, index);
  for (let at = index.get(indexes) ?? 0; at < keys.length; at += 1) {
    const each = keys[at];
    if (each?.kind === 'constant' && !index.has(each.value)) index.set(each.value, at);
    // The WeakMap doubles as the key for the number of indexed entries.
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
        if (index >= 0) values[index] = value ?? undefinedValue;
        else {
          keys.push(key ?? undefinedValue);
          values.push(value ?? undefinedValue);
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
        values[find(key)] ??
        (key?.kind === 'constant' && !self.open ? undefinedValue : joinAll(values, unknown('entry')));
    case 'has':
      return ({ positional: [key] }) =>
        find(key) >= 0
          ? constant(true)
          : key?.kind === 'constant' && !self.open && keys.every((each) => each.kind === 'constant')
            ? constant(false)
            : unknown('has');
    case 'values':
      return () => listValue([...values], self.open);
    case 'keys':
      return () => listValue([...keys], self.open);
    case 'entries':
      return () =>
        listValue(
          keys.map((key, index) =>
            of === 'map' ? listValue([key, values[index] ?? undefinedValue]) : listValue([key, key]),
          ),
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
              args: { positional: [values[index] ?? undefinedValue, key], named: new Map(), open: false },
              at,
              isNew: false,
            }),
        );
        return undefinedValue;
      };
    default:
      return undefined;
  }
}

/** `setdefault` for a missing key; for an unknown key the join of all values. */
function setDefault(machine: Machine, self: ObjectValue, key: Value | undefined, value: Value): Value {
  const name = stringOf(key);
  if (name !== undefined) setMember(machine, self, name, value);
  else {
    self.open = true;
    self.props.set(`\u0000${self.props.size}`, value);
  }
  return name === undefined ? joinAll(self.props.values(), value) : value;
}

/** Methods of a Python dict, and the few of every JavaScript object. */
function dictMethod(machine: Machine, self: ObjectValue, name: string): ((args: Args, at: Place) => Value) | undefined {
  switch (name) {
    case 'items':
      return () => listValue(pairsOf(machine, self), self.open);
    case 'keys':
      return () => listValue(keysOf(self).map(constant), self.open);
    case 'values':
      return () => listValue(valuesOf(machine, self), self.open);
    case 'get':
    case 'setdefault':
    case 'pop':
      return ({ positional: [key, otherwise] }) => {
        const found = stringOf(key) === undefined ? undefined : self.props.get(stringOf(key) ?? '');
        if (found) return found;
        if (name === 'setdefault') return setDefault(machine, self, key, otherwise ?? constant(null));
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
        return undefinedValue;
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

/** Built-in method of an object, bound to it. */
export function objectMethod(machine: Machine, self: ObjectValue, name: string): Value | undefined {
  if (name === 'size' && self.collection) return self.open ? unknown('size') : constant(self.collection.values.length);
  const method = self.collection
    ? collectionMethod(machine, self, self.collection, name)
    : dictMethod(machine, self, name);
  return method && native(name, method);
}

/** Allocates a Map or Set filled from an iterable. */
export function collectionFrom(machine: Machine, of: 'map' | 'set', source: Value | undefined): ObjectValue {
  const { items, open } = source ? itemsOf(machine, source, 'values') : { items: [], open: false };
  const keys: Value[] = [];
  const values: Value[] = [];
  for (const item of items) {
    const [key, value] = of === 'map' && item.kind === 'list' ? item.items : [item, item];
    keys.push(key ?? undefinedValue);
    values.push(value ?? undefinedValue);
  }
  return object([], { collection: { of, keys, values }, open, level: machine.level });
}
