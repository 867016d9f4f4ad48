import { call } from '../calls/calls.js';
import { itemsOf } from '../values/items.js';
import type { Machine } from '../interpreter/abstract-machine.js';
import { spread } from '../interpreter/expressions.js';
import { memberOf, setMember } from '../values/members.js';
import { textValue } from '../values/operators.js';
import {
  addGetter,
  constant,
  listValue,
  native,
  undefinedValue,
  object,
  stringOf,
  unknown,
  type Args,
  type ObjectValue,
  type Value,
} from '../values/values.js';
import { collectionFrom, keysOf, pairsOf } from './objects.js';

const asObject = (value: Value | undefined): ObjectValue | undefined => (value?.kind === 'object' ? value : undefined);

/** Lists properties of a value; modules and classes count as objects. */
function listProperties(machine: Machine, value: Value | undefined, read: (self: ObjectValue) => Value[]): Value {
  if (value?.kind === 'module' || value?.kind === 'class') {
    const made = object([], { level: machine.level });
    if (value.kind === 'module') spread(machine, made, value);
    else for (const [key, member] of value.statics) made.props.set(key, member);
    return listValue(read(made));
  }
  if (value?.kind === 'list')
    return listValue(read(object(value.items.map((item, index) => [String(index), item]))), value.open);
  const self = asObject(value);
  return self ? listValue(read(self), self.open) : listValue([], true);
}

function defineProperty(machine: Machine, [target, key, how]: readonly Value[]): Value {
  const name = stringOf(key);
  const descriptor = asObject(how);
  if (target && name !== undefined && descriptor) {
    const getter = descriptor.props.get('get');
    const value = descriptor.props.get('value');
    if (getter?.kind === 'function' && target.kind === 'object') {
      target.props.delete(name);
      addGetter(target, name, getter);
    } else if (getter?.kind === 'function')
      setMember(
        machine,
        target,
        name,
        call(machine, {
          callee: getter,
          method: '',
          args: { positional: [], named: new Map(), open: false },
          at: { module: getter.module, spot: getter.fn },
          isNew: false,
        }),
      );
    else if (value) setMember(machine, target, name, value);
  }
  return target ?? undefinedValue;
}

const objectStatics = (machine: Machine): Value =>
  object(
    [
      [
        'keys',
        native('keys', ({ positional: [value] }) =>
          listProperties(machine, value, (self) => keysOf(self).map(constant)),
        ),
      ],
      [
        'getOwnPropertyNames',
        native('getOwnPropertyNames', ({ positional: [value] }) =>
          listProperties(machine, value, (self) => keysOf(self).map(constant)),
        ),
      ],
      [
        'values',
        native('values', ({ positional: [value] }) =>
          listProperties(machine, value, (self) =>
            pairsOf(machine, self).map((pair) =>
              pair.kind === 'list' ? (pair.items[1] ?? undefinedValue) : undefinedValue,
            ),
          ),
        ),
      ],
      [
        'entries',
        native('entries', ({ positional: [value] }) =>
          listProperties(machine, value, (self) => pairsOf(machine, self)),
        ),
      ],
      [
        'assign',
        native('assign', ({ positional: [target, ...sources] }) => {
          if (target?.kind === 'object') for (const source of sources) spread(machine, target, source);
          else if (target)
            for (const source of sources)
              if (source.kind === 'object')
                for (const [key, value] of source.props) setMember(machine, target, key, value);
          return target ?? undefinedValue;
        }),
      ],
      [
        'fromEntries',
        native('fromEntries', ({ positional: [pairs] }) => {
          const made = object([], { level: machine.level });
          const { items, open } = itemsOf(machine, pairs ?? undefinedValue, 'values');
          for (const pair of items) {
            const [key, value] = pair.kind === 'list' ? pair.items : [];
            made.props.set(stringOf(key) ?? `\u0000${made.props.size}`, value ?? undefinedValue);
          }
          made.open = open;
          return made;
        }),
      ],
      ['freeze', native('freeze', ({ positional: [value] }) => value ?? undefinedValue)],
      ['seal', native('seal', ({ positional: [value] }) => value ?? undefinedValue)],
      [
        'create',
        native('create', ({ positional: [proto] }) =>
          object(proto?.kind === 'object' ? proto.props : [], {
            ...(proto?.kind === 'object' && proto.cls ? { cls: proto.cls } : {}),
            level: machine.level,
          }),
        ),
      ],
      ['defineProperty', native('defineProperty', ({ positional }) => defineProperty(machine, positional))],
      [
        'defineProperties',
        native('defineProperties', ({ positional: [target, all] }) => {
          if (all?.kind === 'object')
            for (const [key, how] of all.props) defineProperty(machine, [target ?? undefinedValue, constant(key), how]);
          return target ?? undefinedValue;
        }),
      ],
      ['getOwnPropertyDescriptor', native('getOwnPropertyDescriptor', () => unknown('descriptor'))],
      [
        'prototype',
        object(
          [
            [
              'hasOwnProperty',
              object([
                [
                  'call',
                  native('call', ({ positional: [self, key] }) =>
                    self?.kind === 'object' && !self.open && stringOf(key) !== undefined
                      ? constant(self.props.has(stringOf(key) ?? '') || self.getters.has(stringOf(key) ?? ''))
                      : unknown('own'),
                  ),
                ],
              ]),
            ],
          ],
          { open: true },
        ),
      ],
    ],
    { open: true },
  );

const promises = (machine: Machine): Value => {
  const all = native('all', ({ positional: [values] }) => {
    const { items, open } = itemsOf(machine, values ?? undefinedValue, 'values');
    return listValue([...items], open);
  });
  return object(
    [
      ['all', all],
      [
        'allSettled',
        native('allSettled', ({ positional: [values] }) => {
          const { items, open } = itemsOf(machine, values ?? undefinedValue, 'values');
          return listValue(
            items.map((value) =>
              object([
                ['status', constant('fulfilled')],
                ['value', value],
              ]),
            ),
            open,
          );
        }),
      ],
      ['race', all],
      ['resolve', native('resolve', ({ positional: [value] }) => value ?? undefinedValue)],
      ['reject', native('reject', () => unknown('rejected'))],
    ],
    { open: true },
  );
};

/** JSON string of a fully known value. */
function jsonText(machine: Machine, value: Value, indent: number): string | undefined {
  const plain = toPlain(machine, value, 0);
  return plain === undefined ? undefined : JSON.stringify(plain.value, null, indent);
}

/** Converts a fully known value to plain data. */
function toPlain(machine: Machine, value: Value, depth: number): { readonly value: unknown } | undefined {
  if (value.kind === 'constant') return { value: value.value };
  if (depth > 12) return undefined;
  if (value.kind === 'list' && !value.open) {
    const items = value.items.map((item) => toPlain(machine, item, depth + 1));
    return items.every((item) => item !== undefined) ? { value: items.map((item) => item.value) } : undefined;
  }
  if (value.kind !== 'object' || value.open || value.collection) return undefined;
  const made = new Map<string, unknown>();
  for (const key of keysOf(value)) {
    const inner = toPlain(machine, memberOf(machine, value, key), depth + 1);
    if (!inner) return undefined;
    made.set(key, inner.value);
  }
  return { value: Object.fromEntries(made) };
}

function jsonStatics(machine: Machine): Value {
  return object(
    [
      [
        'stringify',
        native('stringify', ({ positional: [value, , indent] }) => {
          const made =
            value &&
            jsonText(
              machine,
              value,
              indent?.kind === 'constant' && typeof indent.value === 'number' ? indent.value : 0,
            );
          return made === undefined ? unknown('json') : constant(made);
        }),
      ],
    ],
    { open: true },
  );
}

const asString = ({ positional: [value] }: Args): Value => (value ? textValue([value]) : constant(''));

/** Model of a JavaScript global, or undefined. */
export function javascriptGlobal(machine: Machine, name: string): Value | undefined {
  if (!machine.globals.has(name)) machine.globals.set(name, globalNamed(machine, name));
  return machine.globals.get(name);
}

function globalNamed(machine: Machine, name: string): Value | undefined {
  switch (name) {
    case 'Object':
      return objectStatics(machine);
    case 'Array':
      return object(
        [
          [
            'isArray',
            native('isArray', ({ positional: [value] }) =>
              value?.kind === 'list'
                ? constant(true)
                : value?.kind === 'object' || value?.kind === 'constant' || value?.kind === 'function'
                  ? constant(false)
                  : unknown('isArray'),
            ),
          ],
          [
            'from',
            native('from', ({ positional: [value, fn] }, at) => {
              const { items, open } = itemsOf(machine, value ?? undefinedValue, 'values');
              return listValue(
                items.map((item, index) =>
                  fn
                    ? call(machine, {
                        callee: fn,
                        method: '',
                        args: { positional: [item, constant(index)], named: new Map(), open: false },
                        at,
                        isNew: false,
                      })
                    : item,
                ),
                open,
              );
            }),
          ],
          ['of', native('of', ({ positional }) => listValue([...positional]))],
        ],
        { open: true },
      );
    case 'Map':
    case 'WeakMap':
      return native(name, ({ positional: [source] }) => collectionFrom(machine, 'map', source));
    case 'Set':
    case 'WeakSet':
      return native(name, ({ positional: [source] }) => collectionFrom(machine, 'set', source));
    case 'JSON':
      return jsonStatics(machine);
    case 'Promise':
      return promises(machine);
    case 'String':
      return native('String', asString);
    case 'Boolean':
      return native('Boolean', ({ positional: [value] }) => value ?? constant(false));
    case 'Symbol':
      return native('Symbol', () => unknown('symbol'));
    case 'structuredClone':
      return native(name, ({ positional: [value] }) => value ?? undefinedValue);
    case 'NaN':
    case 'Infinity':
      return constant(name === 'NaN' ? Number.NaN : Number.POSITIVE_INFINITY);
    default:
      return undefined;
  }
}
