import { posix } from 'node:path';
import { escape } from './calls.js';
import { findGetter, findMethod, ancestry } from './classes.js';
import { parsedOption } from './command-line.js';
import { callFunction, original } from './functions.js';
import type { Machine } from './machine.js';
import { exported, follow, runModule } from './modules.js';
import { argumentsOf, environmentOf } from './settings.js';
import { dottedPath, packageOf, pathMember } from './natives/discovery.js';
import { listMethod } from './natives/lists.js';
import { objectMethod } from './natives/objects.js';
import { stringMethod } from './natives/strings.js';
import {
  constant,
  external,
  isVoid,
  join,
  list,
  native,
  noArgs,
  nothing,
  object,
  unknown,
  type ClassValue,
  type FunctionValue,
  type ObjectValue,
  type Result,
  type Value,
} from './values.js';

/** What `value.name` comes to. */
export function memberOf(machine: Machine, given: Value, name: string): Value {
  const value = follow(machine, given);
  switch (value.kind) {
    case 'object':
      return objectMember(machine, value, name);
    case 'list':
      return name === 'length'
        ? value.open
          ? unknown('length')
          : constant(value.items.length)
        : (listMethod(machine, value, name) ?? indexIn(value.items, name));
    case 'constant':
      return (
        (typeof value.value === 'string' && value.value.startsWith('/') && pathMember(machine, value.value, name)) ||
        stringMethod(value, name)
      );
    case 'text':
      return stringMethod(value, name);
    case 'function':
      return functionMember(machine, value, name);
    case 'class':
      return classMember(machine, value, name);
    case 'module': {
      const run = runModule(machine, value.path);
      if (!run) return unknown('module');
      if (run.module.language === 'python' && name.startsWith('__')) {
        if (name === '__path__') return list([constant(`/${posix.dirname(value.path)}`)]);
        if (name === '__file__') return constant(`/${value.path}`);
        if (name === '__name__') return constant(dottedPath(value.path));
        if (name === '__package__') return constant(packageOf(value.path));
        if (name === '__dict__') return object([...run.scope.vars].map(([key, each]) => [key, follow(machine, each)]));
      }
      return exported(machine, run, name) ?? (name === 'default' ? value : nothing);
    }
    case 'external':
      if (value.source === '' && value.path[0] === 'process') {
        if (value.path.length === 1 && name === 'argv') return argumentsOf(machine);
        if (value.path.length === 2 && value.path[1] === 'env') return environmentOf(machine, name, nothing);
      }
      return name === 'default' ? value : external(value.source, [...value.path, name]);
    case 'result':
      return parsedOption(machine, value, name) ?? resultMember(value, name);
    case 'choice':
      return (
        solidOptions(value).reduce<Value | undefined>(
          (all, option) => join(all, memberOf(machine, option, name)),
          undefined,
        ) ?? unknown(name)
      );
    default:
      return unknown(name);
  }
}

/** The options that have members at all. */
const solidOptions = (value: Value & { kind: 'choice' }): readonly Value[] =>
  value.options.filter((option) => !isVoid(option));

const indexIn = (items: readonly Value[], name: string): Value => items[Number(name)] ?? nothing;

function objectMember(machine: Machine, value: ObjectValue, name: string): Value {
  const own = value.props.get(name);
  if (own) return own;
  const getter = value.getters.get(name) ?? (value.cls && findGetter(value.cls, name));
  if (getter) return callFunction(machine, getter, noArgs, value);
  if (value.cls) {
    const found = instanceMember(machine, value, value.cls, name);
    if (found) return found;
  }
  const method = objectMethod(machine, value, name);
  if (method) return method;
  return value.open || value.cls ? unknown(name) : nothing;
}

function instanceMember(machine: Machine, value: ObjectValue, cls: ClassValue, name: string): Value | undefined {
  if (name === 'constructor' || name === '__class__') return cls;
  if (name === '__dict__') return object(value.props);
  const method = findMethod(machine, cls, name);
  if (method) {
    const self = selfOf(method, name);
    return self === 'none' ? method : { ...method, self: self === 'class' ? cls : value };
  }
  for (const each of ancestry(cls)) {
    const found = each.module.language === 'python' ? each.statics.get(name) : undefined;
    if (found) return found;
  }
  return undefined;
}

const selves = new WeakMap<FunctionValue, 'none' | 'class' | 'instance'>();

/** Whom a method of this name is bound to where an instance is asked for it. */
function selfOf(method: FunctionValue, name: string): 'none' | 'class' | 'instance' {
  const known = selves.get(method);
  if (known) return known;
  const isStatic = method.home?.cls.members.some((member) => member.name === name && member.isStatic) ?? false;
  const isClassMethod = method.fn.decorators.some((each) => each.kind === 'name' && each.name === 'classmethod');
  const made = isStatic ? 'none' : isClassMethod ? 'class' : 'instance';
  selves.set(method, made);
  return made;
}

function functionMember(machine: Machine, value: FunctionValue, name: string): Value {
  const own = value.props.get(name);
  if (own) return own;
  const named = original(value) ?? value;
  if (name === '__name__' || name === 'name' || name === '__qualname__') return constant(named.fn.name ?? '');
  if (name === '__doc__') return named.fn.docstring === undefined ? constant(null) : constant(named.fn.docstring);
  if (name === '__wrapped__') return value.wraps ?? nothing;
  if (name === 'bind')
    return native('bind', ({ positional }) => ({
      ...value,
      ...(positional[0] ? { self: positional[0] } : {}),
      given: { positional: positional.slice(1), named: new Map(), open: false },
    }));
  if (name === 'call')
    return native('call', ({ positional, named: keys, open }) =>
      callFunction(machine, value, { positional: positional.slice(1), named: keys, open }, positional[0]),
    );
  if (name === 'apply') {
    return native('apply', ({ positional }) => {
      const [self, rest] = positional;
      return callFunction(
        machine,
        value,
        { positional: rest?.kind === 'list' ? rest.items : [], named: new Map(), open: rest?.kind !== 'list' },
        self,
      );
    });
  }
  if (name === 'prototype') {
    const made = object([], { open: true });
    value.props.set('prototype', made);
    return made;
  }
  return unknown(name);
}

function classMember(machine: Machine, value: ClassValue, name: string): Value {
  for (const each of ancestry(value)) {
    const found = each.statics.get(name);
    if (
      found?.kind === 'function' &&
      found.fn.decorators.some((one) => one.kind === 'name' && one.name === 'classmethod')
    )
      return { ...found, self: value };
    if (found) return found.kind === 'function' && found.self?.kind === 'class' ? { ...found, self: value } : found;
  }
  if (name === '__name__' || name === 'name') return constant(value.cls.name ?? '');
  if (name === '__doc__') return constant(value.cls.docstring ?? null);
  if (name === '__members__')
    return object([...value.statics].filter(([, member]) => member.kind === 'object' && member.cls === value));
  if (name === 'prototype') return object([], { cls: value, open: true });
  const getter = value.cls.members.find(
    (member) => member.kind === 'getter' && member.isStatic && member.name === name,
  )?.fn;
  if (getter)
    return callFunction(
      machine,
      { kind: 'function', fn: getter, scope: value.scope, module: value.module, home: value, props: new Map() },
      noArgs,
      value,
    );
  const outside = value.bases.find((base) => base.kind === 'external');
  // A method that only the outside base has, reached through the class.
  return outside
    ? {
        kind: 'result',
        callee: outside,
        method: `.${name}`,
        receiver: value,
        args: noArgs,
        at: { module: value.module, spot: value.cls },
        props: new Map(),
      }
    : unknown(name);
}

/** Attributes of a symbol: what was written to it, what it was made with, and the few that zod derives. */
function resultMember(value: Result, name: string): Value {
  const own = value.props.get(name) ?? value.args.named.get(name);
  if (own) return own;
  const [first, second] = value.args.positional;
  if (name === 'shape' && first?.kind === 'object' && /object$/i.test(value.method)) return first;
  if (name === 'value' && value.method === 'literal' && first) return first;
  if (name === 'options' && /enum$/i.test(value.method) && first) return first;
  if ((name === 'shape' || name === 'options') && value.receiver?.kind === 'result') {
    const inner = resultMember(value.receiver, name);
    if (name === 'shape' && inner.kind === 'object' && /^(?:extend|merge|safeExtend)$/.test(value.method)) {
      const more =
        first?.kind === 'object' ? first : first?.kind === 'result' ? resultMember(first, 'shape') : undefined;
      return object([...inner.props, ...(more?.kind === 'object' ? more.props : [])], {
        open: more?.kind !== 'object',
      });
    }
    if (inner.kind === 'object' || inner.kind === 'list') return inner;
  }
  if ((name === 'enum' || name === 'Enum' || name === 'Values') && first?.kind === 'list')
    return object(
      first.items.flatMap((item) => (item.kind === 'constant' ? [[String(item.value), item] as const] : [])),
    );
  // A method taken from a symbol stays that method however it is bound.
  if (name === 'bind' && value.method.startsWith('.')) return native('bind', () => value);
  // An object or dictionary given to a constructor often becomes its fields.
  if (first?.kind === 'object' && first.props.has(name) && !second) return first.props.get(name) ?? nothing;
  return {
    kind: 'result',
    callee: value,
    method: `.${name}`,
    receiver: value,
    args: noArgs,
    at: value.at,
    props: new Map(),
  };
}

/** Writes `value.name = next`, joining where the write may not happen. */
export function setMember(machine: Machine, holder: Value, name: string, next: Value): void {
  switch (holder.kind) {
    case 'object':
      holder.props.set(
        name,
        machine.level > holder.level && holder.props.has(name) ? join(holder.props.get(name), next) : next,
      );
      return;
    case 'function':
    case 'result':
      holder.props.set(name, next);
      // `server.oninitialized = …`: the outside will call it.
      if (holder.kind === 'result' && /^on[A-Za-z]/.test(name)) escape(machine, next, 0);
      return;
    case 'class':
      holder.statics.set(name, next);
      return;
    case 'list':
      if (name === 'length' && next.kind === 'constant' && next.value === 0) holder.items.length = 0;
      return;
    case 'choice':
      for (const option of holder.options) setMember(machine, option, name, next);
      return;
    case 'module': {
      const run = machine.runs.get(holder.path);
      run?.scope.vars.set(name, next);
      return;
    }
    default:
  }
}

/** An empty list, for natives that need one. */
export const emptyList = (): Value => list([]);
