import type { Expr, FunctionNode, Param } from '../../ir/nodes.js';
import { assign } from '../interpreter/assign.js';
import { call } from './calls.js';
import { optionDefault } from '../inputs/command-line.js';
import { evaluate, functionFrom } from '../interpreter/expressions.js';
import { withAllowance, step, type Frame, type Machine, type ModuleRun } from '../interpreter/abstract-machine.js';
import { runBody } from '../interpreter/statements.js';
import { bind, lookup, scopeIn, type Scope } from '../values/scope.js';
import {
  join,
  listValue,
  noNamed,
  undefinedValue,
  object,
  unknown,
  type Args,
  type FunctionValue,
  type Result,
  type Value,
} from '../values/values.js';

/** Call depth well below the stack of the host, see `withinStack`. */
const maxCallDepth = 70;
/** Enough for a recursive registration of nested tools; deeper levels repeat. */
const maxRecursion = 3;
/** Evaluations of one function per run: bounds exponential call trees. */
const maxEvaluations = 4_000;
/** Limit in code that does not mention registration, where further evaluations of a helper find nothing new. */
const maxIdleEvaluations = 300;

/** Evaluates a project function with abstract arguments. */
export function callFunction(machine: Machine, callee: FunctionValue, given: Args, self: Value | undefined): Value {
  const { fn } = callee;
  const active = machine.active.get(fn) ?? 0;
  const entered = machine.entered.get(fn) ?? 0;
  const most = machine.allowance === Number.POSITIVE_INFINITY ? maxEvaluations : maxIdleEvaluations;
  if (active >= maxRecursion || machine.depth >= maxCallDepth || entered >= most || !step(machine))
    return unknown('call too deep');
  machine.active.set(fn, active + 1);
  machine.entered.set(fn, entered + 1);
  machine.depth += 1;
  const run = machine.runs.get(callee.module.path) ?? looseRun(callee);
  const scope = scopeIn(callee.scope, machine.level, true);
  const frame: Frame = {
    run,
    // An arrow function has the `this` of its surroundings, whatever it is called on.
    self: fn.isArrow ? thisOf(callee) : self,
    home: callee.home,
    returned: undefined,
    yielded: [],
    isGenerator: fn.isGenerator,
    args: given,
  };
  try {
    bindParams(machine, callee, given, self, scope, frame);
    // A named function expression can refer to itself.
    if (fn.name !== undefined && run.module.language !== 'python' && !lookup(scope, fn.name))
      bind(scope, fn.name, callee, machine.level);
    withAllowance(machine, fn, callee.module, () => runBody(machine, fn.body, scope, frame));
  } finally {
    // Restored even if a stack overflow unwinds through here.
    machine.depth -= 1;
    machine.active.set(fn, active);
  }
  if (fn.isGenerator) return frame.yielded.length > 0 || !frame.returned ? generatorResult(frame) : frame.returned;
  return frame.returned ?? undefinedValue;
}

/** Result of a generator: the list of its yields. */
const generatorResult = (frame: Frame): Value => listValue(frame.yielded, false);

const looseRun = (callee: FunctionValue): ModuleRun => ({
  module: callee.module,
  scope: callee.scope,
  exports: new Map(),
  commonjs: undefinedValue,
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
  if (!isPython && !callee.fn.isArrow) scope.vars.set('this', self ?? undefinedValue);
  const all = callee.given
    ? {
        positional: [...callee.given.positional, ...given.positional],
        named: new Map([...callee.given.named, ...given.named]),
        open: given.open,
      }
    : given;
  // Python passes the instance as the first positional argument.
  const positional = isPython && self ? [self, ...all.positional] : all.positional;
  let used: Set<string> | undefined;
  let at = 0;
  for (const param of callee.fn.params) {
    const name = param.target.kind === 'name' ? param.target.name : undefined;
    if (param.rest === 'list') {
      assign(machine, param.target, listValue(positional.slice(at), all.open), scope, frame, parameterBinding);
      at = positional.length;
    } else if (param.rest === 'dict') {
      const rest = [...all.named].filter(([key]) => !used?.has(key));
      assign(
        machine,
        param.target,
        object(rest, { open: all.open, level: machine.level }),
        scope,
        frame,
        parameterBinding,
      );
    } else {
      // By name first: Python allows a positional parameter to be passed as keyword.
      const named = name === undefined ? undefined : all.named.get(name);
      if (named && name !== undefined) (used ??= new Set()).add(name);
      const value = named ?? (param.keywordOnly ? undefined : positional[at]);
      if (!named && !param.keywordOnly) at += 1;
      assign(
        machine,
        param.target,
        value && !isAbsent(value) ? value : defaultArgument(machine, param, value, all.open, scope, frame),
        scope,
        frame,
        parameterBinding,
      );
    }
  }
}

const parameterBinding = { declares: 'let' } as const;

const isAbsent = (value: Value): boolean =>
  value.kind === 'unknown' || (value.kind === 'constant' && value.value === undefined);

function defaultArgument(
  machine: Machine,
  param: Param,
  value: Value | undefined,
  open: boolean,
  scope: Scope,
  frame: Frame,
): Value {
  if (param.default) {
    const otherwise = optionDefault(evaluate(machine, param.default, scope, frame));
    // With unknown settings the default is only one possibility.
    return machine.settings === 'any' && value?.kind === 'unknown' ? join(otherwise, value) : otherwise;
  }
  if (value?.kind === 'unknown' || open)
    return (
      (param.annotation && instanceOfAnnotation(machine, param.annotation, scope, frame)) ??
      value ??
      unknown('argument')
    );
  return value ?? undefinedValue;
}

/** Parameter of unknown value with an external type annotation: a symbolic instance of that type. */
function instanceOfAnnotation(machine: Machine, annotation: Expr, scope: Scope, frame: Frame): Value | undefined {
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

/** Applies Python decorators, innermost first; returns what the name is bound to. */
export function applyDecorators(machine: Machine, fn: FunctionNode, scope: Scope, frame: Frame): Value {
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
    // Most decorators return the function or a wrapper; name and parameters stay those of the original.
    if (answer.kind === 'function' && answer.fn !== fn) value = { ...answer, wraps: unwrapDecorators(value) ?? plain };
    else if (answer.kind === 'object' || answer.kind === 'class' || answer.kind === 'function') value = answer;
  }
  return value;
}

/** Function as written, below any decorator wrappers. */
export const unwrapDecorators = (value: Value): FunctionValue | undefined => {
  let at = value.kind === 'function' ? value : undefined;
  while (at?.wraps) at = at.wraps;
  return at;
};

/** Evaluates a function with unknown arguments, as an external caller would. */
export function callWithUnknownArgs(machine: Machine, callee: FunctionValue): Value {
  const positional = callee.fn.params.map((): Value => unknown('argument'));
  return callFunction(
    machine,
    callee,
    { positional: callee.self ? positional.slice(1) : positional, named: noNamed, open: true },
    callee.self,
  );
}
