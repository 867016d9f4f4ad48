import { posix } from 'node:path';
import { runEscaped } from '../calls/calls.js';
import { findAccessor, findMethod, ancestry } from '../calls/classes.js';
import { parsedOption } from '../inputs/command-line.js';
import { callFunction, unwrapDecorators } from '../calls/functions.js';
import type { Machine } from '../interpreter/abstract-machine.js';
import { exportedValue, resolveLink, runModule } from '../modules/modules.js';
import { commandLineArguments, environmentValue } from '../inputs/environment-variables.js';
import { dottedPath, packageOf, pathMember } from '../builtins/discovery.js';
import { listMethod } from '../builtins/lists.js';
import { objectMethod } from '../builtins/objects.js';
import { stringMethod } from '../builtins/strings.js';
import {
  constant,
  external,
  isVoid,
  join,
  listValue,
  native,
  noArgs,
  undefinedValue,
  object,
  unknown,
  type ClassValue,
  type FunctionValue,
  type ObjectValue,
  type Result,
  type Value,
} from './values.js';

/** Abstract value of `value.name`. */
export function memberOf(machine: Machine, given: Value, name: string): Value {
  const value = resolveLink(machine, given);
  switch (value.kind) {
    case 'object':
      return objectMember(machine, value, name);
    case 'list':
      return name === 'length'
        ? value.open
          ? unknown('length')
          : constant(value.items.length)
        : (listMethod(machine, value, name) ?? itemByName(value.items, name));
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
        if (name === '__path__') return listValue([constant(`/${posix.dirname(value.path)}`)]);
        if (name === '__file__') return constant(`/${value.path}`);
        if (name === '__name__') return constant(dottedPath(value.path));
        if (name === '__package__') return constant(packageOf(value.path));
        if (name === '__dict__')
          return object([...run.scope.vars].map(([key, each]) => [key, resolveLink(machine, each)]));
      }
      return exportedValue(machine, run, name) ?? (name === 'default' ? value : undefinedValue);
    }
    case 'external':
      if (value.source === '' && value.path[0] === 'process') {
        if (value.path.length === 1 && name === 'argv') return commandLineArguments(machine);
        // The environment of the scanned server is unknown; the machine decides if unset counts as unset.
        if (value.path.length === 2 && value.path[1] === 'env') return environmentValue(machine, name, undefinedValue);
      }
      return name === 'default' ? value : external(value.source, [...value.path, name]);
    case 'result':
      return parsedOption(machine, value, name) ?? resultMember(value, name);
    case 'choice':
      return (
        optionsWithMembers(value).reduce<Value | undefined>(
          (all, option) => join(all, memberOf(machine, option, name)),
          undefined,
        ) ?? unknown(name)
      );
    default:
      return unknown(name);
  }
}

/** Options that can have members. */
const optionsWithMembers = (value: Value & { kind: 'choice' }): readonly Value[] =>
  value.options.filter((option) => !isVoid(option));

const itemByName = (items: readonly Value[], name: string): Value => items[Number(name)] ?? undefinedValue;

function objectMember(machine: Machine, value: ObjectValue, name: string): Value {
  const own = value.props.get(name);
  if (own) return own;
  const getter = value.getters.get(name) ?? (value.cls && findAccessor(value.cls, name));
  // Getters run on each read, since they may build a list of tools lazily.
  if (getter) return callFunction(machine, getter, noArgs, value);
  if (value.cls) {
    const found = instanceMember(machine, value, value.cls, name);
    if (found) return found;
  }
  const method = objectMethod(machine, value, name);
  if (method) return method;
  // A closed plain object has no such member for certain; an instance may get it from an external base.
  return value.open || value.cls ? unknown(name) : undefinedValue;
}

function instanceMember(machine: Machine, value: ObjectValue, cls: ClassValue, name: string): Value | undefined {
  if (name === 'constructor' || name === '__class__') return cls;
  if (name === '__dict__') return object(value.props);
  const method = findMethod(machine, cls, name);
  if (method) {
    const self = receiverKind(method, name);
    return self === 'none' ? method : { ...method, self: self === 'class' ? cls : value };
  }
  for (const each of ancestry(cls)) {
    const found = each.module.language === 'python' ? each.statics.get(name) : undefined;
    if (found) return found;
  }
  return undefined;
}

const receiverKinds = new WeakMap<FunctionValue, 'none' | 'class' | 'instance'>();

/** What a method is bound to when read from an instance. */
function receiverKind(method: FunctionValue, name: string): 'none' | 'class' | 'instance' {
  const known = receiverKinds.get(method);
  if (known) return known;
  const isStatic = method.home?.cls.members.some((member) => member.name === name && member.isStatic) ?? false;
  const isClassMethod = method.fn.decorators.some((each) => each.kind === 'name' && each.name === 'classmethod');
  const made = isStatic ? 'none' : isClassMethod ? 'class' : 'instance';
  receiverKinds.set(method, made);
  return made;
}

function functionMember(machine: Machine, value: FunctionValue, name: string): Value {
  const own = value.props.get(name);
  if (own) return own;
  const named = unwrapDecorators(value) ?? value;
  if (name === '__name__' || name === 'name' || name === '__qualname__') return constant(named.fn.name ?? '');
  if (name === '__doc__') return named.fn.docstring === undefined ? constant(null) : constant(named.fn.docstring);
  if (name === '__wrapped__') return value.wraps ?? undefinedValue;
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
    // One object per function, so that `F.prototype.run = …` is found again.
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
  // Method inherited from an external base class.
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

/** Attributes of a symbolic result: assigned ones, constructor arguments, and those zod derives. */
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
  // Binding a method of a symbolic result changes nothing.
  if (name === 'bind' && value.method.startsWith('.')) return native('bind', () => value);
  // Constructors often copy an options object to fields.
  // An approximation: a field of another name or a changed value is not seen.
  if (first?.kind === 'object' && first.props.has(name) && !second) return first.props.get(name) ?? undefinedValue;
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

/** Assigns `value.name = next`; a weak update if the write may not happen. */
export function setMember(machine: Machine, holder: Value, name: string, next: Value): void {
  switch (holder.kind) {
    case 'object':
      holder.props.set(
        name,
        // Weak update: the write may not happen, so the old value stays possible.
        machine.level > holder.level && holder.props.has(name) ? join(holder.props.get(name), next) : next,
      );
      return;
    case 'function':
    case 'result':
      holder.props.set(name, next);
      // `server.oninitialized = …`: an event handler that external code calls.
      if (holder.kind === 'result' && /^on[A-Za-z]/.test(name)) runEscaped(machine, next, 0);
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
