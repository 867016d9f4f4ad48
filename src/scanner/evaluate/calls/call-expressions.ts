import type { Arg, Call } from '../../ir/nodes.js';
import { call } from './calls.js';
import { construct, findMethod, initFields, superMember } from './classes.js';
import { evaluate } from '../interpreter/expressions.js';
import { callFunction } from './functions.js';
import { itemsOf } from '../values/items.js';
import type { Frame, Machine } from '../interpreter/abstract-machine.js';
import { memberOf } from '../values/members.js';
import type { Scope } from '../values/scope.js';
import { noNamed, undefinedValue, unknown, type Args, type Value } from '../values/values.js';

/** Evaluates a call expression: callee, arguments, then the call. */
export function callExpr(machine: Machine, expr: Call, scope: Scope, frame: Frame): Value {
  const at = { module: frame.run.module, spot: expr };
  const { callee } = expr;
  // `super(…)` is no name of the scope; it needs the instance that is being constructed.
  if (callee.kind === 'name' && callee.name === 'super' && frame.home && frame.self?.kind === 'object')
    return callSuper(machine, expr, scope, frame);
  if (callee.kind !== 'member') {
    const value = evaluate(machine, callee, scope, frame);
    return call(machine, {
      callee: value,
      method: callee.kind === 'name' ? callee.name : '',
      args: argsFrom(machine, expr.args, scope, frame),
      at,
      isNew: expr.isNew,
    });
  }
  if (isSuper(callee.object) && frame.home) return callSuperMethod(machine, callee.property, expr, scope, frame);
  const receiver = evaluate(machine, callee.object, scope, frame);
  const args = argsFrom(machine, expr.args, scope, frame);
  return call(machine, {
    callee: memberOf(machine, receiver, callee.property),
    method: callee.property,
    receiver,
    args,
    at,
    isNew: expr.isNew,
  });
}

const isSuper = (expr: Call['callee']): boolean =>
  (expr.kind === 'name' && expr.name === 'super') ||
  (expr.kind === 'call' && expr.callee.kind === 'name' && expr.callee.name === 'super');

/** JavaScript `super(…)`. */
function callSuper(machine: Machine, expr: Call, scope: Scope, frame: Frame): Value {
  const args = argsFrom(machine, expr.args, scope, frame);
  const { home, self } = frame;
  if (!home || self?.kind !== 'object') return undefinedValue;
  const [base] = home.bases;
  const at = { module: frame.run.module, spot: expr };
  if (home.module.language === 'python') return self;
  if (base?.kind === 'class') construct(machine, base, args, self, at);
  // The watcher sees the base of a library, because `class X extends McpServer` registers through it.
  else if (base) machine.watch({ callee: base, method: 'super', receiver: self, args, at, isNew: true }, machine);
  // Fields are initialised after the base returned, as the language defines it.
  initFields(machine, home, self);
  return undefinedValue;
}

/** `super.method(…)` and `super().method(…)`. */
function callSuperMethod(machine: Machine, name: string, expr: Call, scope: Scope, frame: Frame): Value {
  const args = argsFrom(machine, expr.args, scope, frame);
  if (!frame.home) return unknown('super');
  const found = superMember(machine, frame.home, name);
  if (found?.kind === 'function') return callFunction(machine, found, args, frame.self);
  const at = { module: frame.run.module, spot: expr };
  if (name === '__init__' && frame.self?.kind === 'object') {
    const external = frame.home.bases.find((base) => base.kind !== 'class');
    if (external)
      machine.watch({ callee: external, method: 'super', receiver: frame.self, args, at, isNew: true }, machine);
    else if (findMethod(machine, frame.home, '__init__'))
      for (const [key, value] of args.named) frame.self.props.set(key, value);
    return undefinedValue;
  }
  return call(machine, { callee: unknown('super'), method: name, receiver: frame.self, args, at, isNew: false });
}

/** Evaluates arguments and expands spreads of known content. */
function argsFrom(machine: Machine, given: readonly Arg[], scope: Scope, frame: Frame): Args {
  const positional: Value[] = [];
  let named: Map<string, Value> | undefined;
  let open = false;
  for (const arg of given) {
    const value = evaluate(machine, arg.value, scope, frame);
    if (arg.name !== undefined) (named ??= new Map()).set(arg.name, value);
    else if (arg.spread === 'list') {
      const { items, open: more } = itemsOf(machine, value, 'values');
      // Bounded: a spread of a generated list could hold millions of items.
      positional.push(...items.slice(0, 1_000));
      open ||= more;
    } else if (arg.spread === 'dict') {
      if (value.kind === 'object') for (const [key, inner] of value.props) (named ??= new Map()).set(key, inner);
      open ||= value.kind !== 'object' || value.open;
    } else positional.push(value);
  }
  return { positional, named: named ?? noNamed, open };
}
