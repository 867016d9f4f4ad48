import { call } from '../calls/calls.js';
import { ancestry } from '../calls/classes.js';
import { itemsOf } from '../values/items.js';
import type { Frame, Machine } from '../interpreter/abstract-machine.js';
import { memberOf, setMember } from '../values/members.js';
import { textValue } from '../values/operators.js';
import {
  constant,
  listValue,
  native,
  undefinedValue,
  object,
  stringOf,
  truth,
  unknown,
  type Args,
  type Place,
  type Value,
} from '../values/values.js';

type Builtin = (machine: Machine, args: Args, at: Place) => Value;

const items = (machine: Machine, value: Value | undefined) => itemsOf(machine, value ?? undefinedValue, 'values');
const listOf: Builtin = (machine, { positional: [value] }) => {
  if (!value) return listValue([]);
  const { items: all, open } = items(machine, value);
  return listValue([...all], open);
};
const applyBuiltinCallback = (machine: Machine, fn: Value | undefined, values: Value[], at: Place): Value =>
  fn
    ? call(machine, {
        callee: fn,
        method: '',
        args: { positional: values, named: new Map(), open: false },
        at,
        isNew: false,
      })
    : unknown('callback');
const identity: Builtin = (_machine, { positional: [value] }) => value ?? undefinedValue;

const builtins: Readonly<Record<string, Builtin>> = {
  list: listOf,
  tuple: listOf,
  set: listOf,
  frozenset: listOf,
  sorted: listOf,
  reversed: listOf,
  iter: listOf,
  dict: (machine, { positional: [value], named, open }) => {
    const made = object(value?.kind === 'object' ? value.props : [], { level: machine.level });
    for (const pair of value && value.kind !== 'object' ? items(machine, value).items : []) {
      const [key, inner] = pair.kind === 'list' ? pair.items : [];
      made.props.set(stringOf(key) ?? `\u0000${made.props.size}`, inner ?? undefinedValue);
    }
    for (const [key, inner] of named) made.props.set(key, inner);
    made.open = open || (value !== undefined && value.kind !== 'object' && value.kind !== 'list');
    return made;
  },
  str: (_machine, { positional: [value] }) =>
    value?.kind === 'object'
      ? (value.props.get('value') ?? textValue([value]))
      : value
        ? textValue([value])
        : constant(''),
  len: (_machine, { positional: [value] }) =>
    value?.kind === 'list' && !value.open
      ? constant(value.items.length)
      : stringOf(value) === undefined
        ? unknown('len')
        : constant(stringOf(value)?.length),
  bool: (_machine, { positional: [value] }) => {
    const known = value ? truth(value) : false;
    return known === undefined ? unknown('bool') : constant(known);
  },
  enumerate: (machine, { positional: [value] }) => {
    const { items: all, open } = items(machine, value);
    return listValue(
      all.map((item, index) => listValue([constant(index), item])),
      open,
    );
  },
  zip: (machine, { positional }) => {
    const all = positional.map((each) => items(machine, each));
    const shortest = Math.min(...all.map((each) => each.items.length));
    return listValue(
      Array.from({ length: Number.isFinite(shortest) ? shortest : 0 }, (_, index) =>
        listValue(all.map((each) => each.items[index] ?? undefinedValue)),
      ),
      all.some((each) => each.open),
    );
  },
  range: (_machine, { positional }) => {
    const [from, to] = positional.length > 1 ? positional : [constant(0), positional[0]];
    const [low, high] = [from, to].map((each) =>
      each?.kind === 'constant' && typeof each.value === 'number' ? each.value : undefined,
    );
    if (low === undefined || high === undefined || high - low > 2_000) return listValue([], true);
    return listValue(Array.from({ length: Math.max(0, high - low) }, (_, index) => constant(low + index)));
  },
  map: (machine, { positional: [fn, value] }, at) => {
    const { items: all, open } = items(machine, value);
    return listValue(
      all.map((item) => applyBuiltinCallback(machine, fn, [item], at)),
      open,
    );
  },
  filter: (machine, { positional: [fn, value] }, at) => {
    const { items: all, open } = items(machine, value);
    return listValue(
      all.filter(
        (item) => truth(fn?.kind === 'constant' ? item : applyBuiltinCallback(machine, fn, [item], at)) !== false,
      ),
      open,
    );
  },
  getattr: (machine, { positional: [value, name, otherwise] }) => {
    const key = stringOf(name);
    if (!value || key === undefined) return unknown('getattr');
    const found = memberOf(machine, value, key);
    return otherwise && (found.kind === 'unknown' || (found.kind === 'constant' && found.value === undefined))
      ? otherwise
      : found;
  },
  setattr: (machine, { positional: [value, name, next] }) => {
    const key = stringOf(name);
    if (value && key !== undefined) setMember(machine, value, key, next ?? undefinedValue);
    return undefinedValue;
  },
  hasattr: (machine, { positional: [value, name] }) => {
    const key = stringOf(name);
    const found = value && key !== undefined ? memberOf(machine, value, key) : undefined;
    return found &&
      found.kind !== 'unknown' &&
      found.kind !== 'result' &&
      found.kind !== 'external' &&
      !(found.kind === 'constant' && found.value === undefined)
      ? constant(true)
      : unknown('hasattr');
  },
  isinstance: (_machine, { positional: [value, type] }) => {
    if (value?.kind === 'object' && value.cls && type?.kind === 'class')
      return constant(ancestry(value.cls).includes(type));
    return unknown('isinstance');
  },
  callable: (_machine, { positional: [value] }) =>
    value?.kind === 'function' || value?.kind === 'class' ? constant(true) : unknown('callable'),
  vars: (machine, { positional: [value] }) => {
    if (value?.kind === 'module') return memberOf(machine, value, '__dict__');
    return value?.kind === 'object' ? object(value.props, { open: value.open }) : object([], { open: true });
  },
  dir: (machine, { positional: [value] }) => {
    const names = value?.kind === 'module' ? memberOf(machine, value, '__dict__') : undefined;
    return names?.kind === 'object' ? listValue([...names.props.keys()].map(constant)) : listValue([], true);
  },
  type: (_machine, { positional: [value] }) => (value?.kind === 'object' && value.cls ? value.cls : unknown('type')),
  print: () => undefinedValue,
  staticmethod: identity,
  classmethod: identity,
  property: identity,
};

/** Model of a Python built-in, or undefined. */
export function pythonBuiltin(machine: Machine, name: string, frame: Frame): Value | undefined {
  if (name === 'globals' || name === 'locals') return native(name, () => object(frame.run.scope.vars));
  if (name === 'TYPE_CHECKING') return constant(false);
  const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
  return builtin && native(name, (args, at) => builtin(machine, args, at));
}
