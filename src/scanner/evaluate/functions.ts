import type { Expr, FunctionNode, Param } from '../ir/nodes.js';
import { assign } from './assign.js';
import { call } from './calls.js';
import { optionDefault } from './command-line.js';
import { evaluate, functionFrom } from './expressions.js';
import { allowed, step, type Frame, type Machine, type ModuleRun } from './machine.js';
import { runBody } from './statements.js';
import { bind, lookup, scopeIn, type Scope } from './scope.js';
import {
  constant,
  external,
  join,
  list,
  noNamed,
  nothing,
  object,
  unknown,
  type Args,
  type FunctionValue,
  type Result,
  type Value,
} from './values.js';

const maxDepth = 70;
const maxActive = 3;
const maxEntered = 4_000;
/** The same in code that does not speak of registering, where the next answer of a helper tells nothing new. */
const maxEnteredIdly = 300;

/** Runs a function of the project with what is known of its arguments. */
export function callFunction(machine: Machine, callee: FunctionValue, given: Args, self: Value | undefined): Value {
  const { fn } = callee;
  const active = machine.active.get(fn) ?? 0;
  const entered = machine.entered.get(fn) ?? 0;
  const most = machine.allowance === Number.POSITIVE_INFINITY ? maxEntered : maxEnteredIdly;
  if (active >= maxActive || machine.depth >= maxDepth || entered >= most || !step(machine))
    return unknown('call too deep');
  machine.active.set(fn, active + 1);
  machine.entered.set(fn, entered + 1);
  machine.depth += 1;
  const run = machine.runs.get(callee.module.path) ?? looseRun(callee);
  const scope = scopeIn(callee.scope, machine.level, true);
  const frame: Frame = {
    run,
    self: fn.isArrow ? thisOf(callee) : self,
    home: callee.home,
    returned: undefined,
    yielded: [],
    isGenerator: fn.isGenerator,
    args: given,
  };
  try {
    bindParams(machine, callee, given, self, scope, frame);
    if (fn.name !== undefined && run.module.language !== 'python' && !lookup(scope, fn.name))
      bind(scope, fn.name, callee, machine.level);
    allowed(machine, fn, callee.module, () => runBody(machine, fn.body, scope, frame));
  } finally {
    machine.depth -= 1;
    machine.active.set(fn, active);
  }
  if (fn.isGenerator) return frame.yielded.length > 0 || !frame.returned ? yielded(frame) : frame.returned;
  return frame.returned ?? nothing;
}

/** A context manager or fixture yields one thing and that is what its user gets; a generator gives a list. */
const yielded = (frame: Frame): Value => list(frame.yielded, false);

const looseRun = (callee: FunctionValue): ModuleRun => ({
  module: callee.module,
  scope: callee.scope,
  exports: new Map(),
  commonjs: nothing,
  done: true,
});

const thisOf = (callee: FunctionValue): Value | undefined => callee.self ?? lookup(callee.scope, 'this');

function bindParams(
  machine: Machine,
  callee: FunctionValue,
  given: Args,
  self: Value | undefined,
  scope: Scope,
  frame: Frame,
): void {
  const isPython = callee.module.language === 'python';
  if (!isPython && !callee.fn.isArrow) scope.vars.set('this', self ?? nothing);
  const all = callee.given
    ? {
        positional: [...callee.given.positional, ...given.positional],
        named: new Map([...callee.given.named, ...given.named]),
        open: given.open,
      }
    : given;
  const positional = isPython && self ? [self, ...all.positional] : all.positional;
  let used: Set<string> | undefined;
  let at = 0;
  for (const param of callee.fn.params) {
    const name = param.target.kind === 'name' ? param.target.name : undefined;
    if (param.rest === 'list') {
      assign(machine, param.target, list(positional.slice(at), all.open), scope, frame, bound);
      at = positional.length;
    } else if (param.rest === 'dict') {
      const rest = [...all.named].filter(([key]) => !used?.has(key));
      assign(machine, param.target, object(rest, { open: all.open, level: machine.level }), scope, frame, bound);
    } else {
      const named = name === undefined ? undefined : all.named.get(name);
      if (named && name !== undefined) (used ??= new Set()).add(name);
      const value = named ?? (param.keywordOnly ? undefined : positional[at]);
      if (!named && !param.keywordOnly) at += 1;
      assign(
        machine,
        param.target,
        value && !isAbsent(value) ? value : missing(machine, param, value, all.open, scope, frame),
        scope,
        frame,
        bound,
      );
    }
  }
}

const bound = { declares: 'let' } as const;

const isAbsent = (value: Value): boolean =>
  value.kind === 'unknown' || (value.kind === 'constant' && value.value === undefined);

function missing(
  machine: Machine,
  param: Param,
  value: Value | undefined,
  open: boolean,
  scope: Scope,
  frame: Frame,
): Value {
  if (param.default) {
    const otherwise = optionDefault(evaluate(machine, param.default, scope, frame));
    return machine.settings === 'any' && value?.kind === 'unknown' ? join(otherwise, value) : otherwise;
  }
  if (value?.kind === 'unknown' || open)
    return (
      (param.annotation && instanceOfAnnotation(machine, param.annotation, scope, frame)) ??
      value ??
      unknown('argument')
    );
  return value ?? nothing;
}

/** A parameter of unknown value but known outside type stands for an instance of that type. */
export function instanceOfAnnotation(
  machine: Machine,
  annotation: Expr,
  scope: Scope,
  frame: Frame,
): Value | undefined {
  const type = evaluate(machine, annotation, scope, frame);
  if (type.kind !== 'external' || type.path.length === 0) return undefined;
  const made: Result = {
    kind: 'result',
    callee: type,
    method: type.path.at(-1) ?? '',
    args: { positional: [], named: new Map(), open: true },
    at: { module: frame.run.module, spot: annotation },
    props: new Map(),
  };
  return made;
}

/** A Python function with its decorators applied; the outermost one's answer is what the name is bound to. */
export function decorated(machine: Machine, fn: FunctionNode, scope: Scope, frame: Frame): Value {
  const plain = functionFrom(fn, scope, frame);
  let value: Value = plain;
  for (const decorator of fn.decorators.toReversed()) {
    const by = evaluate(machine, decorator, scope, frame);
    const answer = call(machine, {
      callee: by,
      method: '',
      args: { positional: [value], named: noNamed, open: false },
      at: { module: frame.run.module, spot: decorator },
      isNew: false,
    });
    // Most decorators keep the function or wrap it; what it is called and what it takes stay those of the original.
    if (answer.kind === 'function' && answer.fn !== fn) value = { ...answer, wraps: original(value) ?? plain };
    else if (answer.kind === 'object' || answer.kind === 'class' || answer.kind === 'function') value = answer;
  }
  return value;
}

/** The function as written, under any wrappers. */
export const original = (value: Value): FunctionValue | undefined => {
  let at = value.kind === 'function' ? value : undefined;
  while (at?.wraps) at = at.wraps;
  return at;
};

/** Calls a function with nothing known about its arguments, as an outside caller would. */
export function callBlind(machine: Machine, callee: FunctionValue): Value {
  const positional = callee.fn.params.map((): Value => unknown('argument'));
  return callFunction(
    machine,
    callee,
    { positional: callee.self ? positional.slice(1) : positional, named: noNamed, open: true },
    callee.self,
  );
}

/** A well-known outside name, for code that tests `isinstance` or `instanceof`. */
export const nameOf = (value: Value): Value =>
  value.kind === 'function'
    ? constant(value.fn.name ?? '')
    : value.kind === 'class'
      ? constant(value.cls.name ?? '')
      : external('', ['name']);
