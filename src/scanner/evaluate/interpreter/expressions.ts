import type { Call, Comprehension, Dict, Expr, FunctionNode, List } from '../../ir/nodes.js';
import { assign } from './assign.js';
import { callExpr } from '../calls/call-expressions.js';
import { classFrom } from '../calls/classes.js';
import { globalOf } from '../builtins/globals.js';
import { itemsOf } from '../values/items.js';
import { runUncertain, step, type Frame, type Machine } from './abstract-machine.js';
import { memberOf } from '../values/members.js';
import { resolveLink, runModule } from '../modules/modules.js';
import { withNarrowing } from './path-conditions.js';
import { binary, textValue } from '../values/operators.js';
import { importFrom } from '../modules/imports.js';
import { lookup, scopeIn, type Scope } from '../values/scope.js';
import {
  addGetter,
  constant,
  join,
  joinAll,
  listValue,
  native,
  undefinedValue,
  object,
  optionsOf,
  stringOf,
  truth,
  unknown,
  type FunctionValue,
  type Value,
} from '../values/values.js';

/** A function value closing over its scope. */
export const functionFrom = (fn: FunctionNode, scope: Scope, frame: Frame): FunctionValue => ({
  kind: 'function',
  fn,
  scope,
  module: frame.run.module,
  self: fn.isArrow ? frame.self : undefined,
  home: frame.home,
  props: new Map(),
});

/** Abstract value of an expression. Hot path: runs for every subexpression, so it allocates no closures. */
export function evaluate(machine: Machine, expr: Expr, scope: Scope, frame: Frame): Value {
  // Out of budget: unknown is always a sound answer, and the report lists the gap.
  if (!step(machine)) return unknown('budget');
  switch (expr.kind) {
    case 'literal':
      return constant(expr.value);
    case 'regex':
      return native(`/${expr.source}/${expr.flags}`, () => unknown('pattern'));
    case 'template':
      return template(machine, expr, scope, frame);
    case 'name':
      return resolveLink(
        machine,
        lookup(scope, expr.name) ??
          (expr.name === 'this' ? (frame.self ?? undefinedValue) : globalOf(machine, expr.name, frame)),
      );
    case 'member':
      return memberOf(machine, evaluate(machine, expr.object, scope, frame), expr.property);
    case 'index':
      return indexExpr(machine, expr, scope, frame);
    case 'call':
      return callExpr(machine, expr satisfies Call, scope, frame);
    case 'list':
      return listFrom(machine, expr, scope, frame);
    case 'dict':
      return dictFrom(machine, expr, scope, frame);
    case 'function':
      return functionFrom(expr.fn, scope, frame);
    case 'class':
      return classFrom(machine, expr.cls, scope, frame);
    case 'binary':
      return operatorChain(machine, expr, scope, frame);
    case 'logical':
      return logical(machine, expr, scope, frame);
    case 'unary':
      return unary(expr.op, evaluate(machine, expr.value, scope, frame));
    case 'conditional':
      return conditional(machine, expr, scope, frame);
    case 'assign': {
      const made = evaluate(machine, expr.value, scope, frame);
      assign(machine, expr.target, made, scope, frame, { op: expr.op });
      // The result of `x += y` as an expression is rarely used; the variable itself is exact.
      return expr.op === undefined ? made : unknown('update');
    }
    case 'await':
      return evaluate(machine, expr.value, scope, frame);
    case 'yield': {
      const made = expr.value ? evaluate(machine, expr.value, scope, frame) : undefinedValue;
      // In a generator compiled from an async function, `yield` is `await`.
      if (!frame.isGenerator) return made;
      if (expr.delegate) frame.yielded.push(...itemsOf(machine, made, 'values').items);
      else frame.yielded.push(made);
      return unknown('sent');
    }
    case 'comprehension':
      return comprehensionValue(machine, expr, scope, frame);
    case 'sequence': {
      let last: Value = undefinedValue;
      for (const item of expr.items) last = evaluate(machine, item, scope, frame);
      return last;
    }
    case 'import':
      return importFrom(machine, pathIn(machine, evaluate(machine, expr.source, scope, frame)), {
        module: frame.run.module,
        spot: expr,
      });
    case 'tagged':
      return stringOf(evaluate(machine, expr.template, scope, frame)) === undefined
        ? unknown('tagged template')
        : evaluate(machine, expr.template, scope, frame);
    case 'opaque':
      return unknown(expr.what);
    default:
      return unknown(expr.kind);
  }
}

function template(machine: Machine, expr: Expr & { kind: 'template' }, scope: Scope, frame: Frame): Value {
  return textValue(expr.parts.map((part) => (typeof part === 'string' ? part : evaluate(machine, part, scope, frame))));
}

function indexExpr(machine: Machine, expr: Expr & { kind: 'index' }, scope: Scope, frame: Frame): Value {
  const holder = evaluate(machine, expr.object, scope, frame);
  const { index } = expr;
  if (index.kind !== 'slice') return indexed(machine, holder, evaluate(machine, index, scope, frame));
  return sliced(
    holder,
    [index.lower, index.upper].map((bound) => bound && evaluate(machine, bound, scope, frame)),
  );
}

function unary(op: string, inner: Value): Value {
  if (op === 'not') {
    const known = truth(inner);
    return known === undefined ? unknown('not') : constant(!known);
  }
  if (op === '-' && inner.kind === 'constant' && typeof inner.value === 'number') return constant(-inner.value);
  return op === 'void' ? undefinedValue : op === 'typeof' ? typeOf(inner) : unknown(op);
}

function conditional(machine: Machine, expr: Expr & { kind: 'conditional' }, scope: Scope, frame: Frame): Value {
  const { test, yes, no } = expr;
  const known = truth(evaluate(machine, test, scope, frame));
  if (known !== undefined) return evaluate(machine, known ? yes : no, scope, frame);
  return runUncertain(machine, () =>
    join(
      withNarrowing(test, true, scope, () => evaluate(machine, yes, scope, frame)),
      withNarrowing(test, false, scope, () => evaluate(machine, no, scope, frame)),
    ),
  );
}

/** `import(pathToFileURL(x))`: uses the path of the URL. */
const pathIn = (machine: Machine, source: Value): Value =>
  source.kind === 'object' && source.props.has('href') ? memberOf(machine, source, 'href') : source;

function typeOf(value: Value): Value {
  if (value.kind === 'function' || value.kind === 'class' || value.kind === 'native') return constant('function');
  if (value.kind === 'constant') return constant(value.value === null ? 'object' : typeof value.value);
  if (value.kind === 'text') return constant('string');
  return value.kind === 'object' || value.kind === 'list' ? constant('object') : unknown('typeof');
}

/** Evaluates a chain of operators iteratively: a long sum is a deep left-leaning tree. */
function operatorChain(machine: Machine, expr: Expr & { kind: 'binary' }, scope: Scope, frame: Frame): Value {
  const chain: (Expr & { kind: 'binary' })[] = [];
  let first: Expr = expr;
  while (first.kind === 'binary') {
    chain.push(first);
    first = first.left;
  }
  let left = evaluate(machine, first, scope, frame);
  for (const each of chain.toReversed()) left = binary(each.op, left, evaluate(machine, each.right, scope, frame));
  return left;
}

function logical(machine: Machine, expr: Expr & { kind: 'logical' }, scope: Scope, frame: Frame): Value {
  const { op } = expr;
  const left = evaluate(machine, expr.left, scope, frame);
  const known = op === '??' ? isDefined(left) : truth(left);
  // Short circuit: `and` on false, `or` and `??` on true.
  if (known === (op !== 'and')) return left;
  const right = runUncertain(machine, () => evaluate(machine, expr.right, scope, frame));
  if (known !== undefined) return right;
  // An external left operand is usually a setting, whose fallback on the right is what the code defines.
  return op === 'and' ? join(right, unknown('and')) : join(left.kind === 'external' ? undefined : left, right);
}

const isDefined = (value: Value): boolean | undefined => {
  if (value.kind === 'constant') return value.value !== null && value.value !== undefined;
  return value.kind === 'unknown' || value.kind === 'external' || value.kind === 'choice' || value.kind === 'result'
    ? undefined
    : true;
};

/** `object[key]`. */
function indexed(machine: Machine, holder: Value, key: Value): Value {
  let found: Value | undefined;
  for (const each of optionsOf(holder)) {
    for (const index of optionsOf(key)) found = join(found, indexedOne(machine, each, index));
  }
  return found ?? unknown('index');
}

function indexedOne(machine: Machine, holder: Value, key: Value): Value {
  if (holder.kind === 'list' && key.kind === 'constant' && typeof key.value === 'number')
    return holder.items.at(key.value) ?? (holder.open ? unknown('item') : undefinedValue);
  if (
    holder.kind === 'constant' &&
    typeof holder.value === 'string' &&
    key.kind === 'constant' &&
    typeof key.value === 'number'
  )
    return constant(holder.value.at(key.value));
  const name =
    key.kind === 'constant' && (typeof key.value === 'string' || typeof key.value === 'number')
      ? String(key.value)
      : undefined;
  // `Color["RED"]` of a Python enum; another class with an index is a generic type.
  if (name !== undefined && holder.kind === 'class' && holder.module.language === 'python')
    return holder.statics.get(name) ?? holder;
  // A Python enum member as key counts as its value.
  const enumerated = key.kind === 'object' ? stringOf(key.props.get('value')) : undefined;
  if (name !== undefined || enumerated !== undefined) return memberOf(machine, holder, name ?? enumerated ?? '');
  if (holder.kind === 'class') return holder;
  // A computed index selects any item; unknown is added for an index outside of the list.
  if (holder.kind === 'list') return joinAll(holder.items, unknown('item'));
  if (holder.kind === 'object' && !holder.cls) return joinAll(holder.props.values(), unknown('item'));
  return holder.kind === 'external' ? holder : unknown('index');
}

/** `items[a:b]`; with unknown bounds the whole list, because pagination exposes every part of it. */
function sliced(holder: Value, bounds: readonly (Value | undefined)[]): Value {
  const [lower, upper] = bounds.map((bound) =>
    bound?.kind === 'constant' && typeof bound.value === 'number' ? bound.value : undefined,
  );
  const isKnown = bounds.every((bound) => !bound || (bound.kind === 'constant' && typeof bound.value === 'number'));
  if (holder.kind === 'list')
    return isKnown
      ? listValue(holder.items.slice(lower ?? 0, upper), holder.open)
      : listValue([...holder.items], holder.open);
  const known = stringOf(holder);
  return known === undefined || !isKnown ? unknown('slice') : constant(known.slice(lower ?? 0, upper));
}

/** Spread items kept; the list is marked open beyond. */
const maxItems = 5_000;
/** Lists recorded as possible surfaces; generated code can hold thousands of such literals. */
const maxOffered = 500;

function listFrom(machine: Machine, expr: List, scope: Scope, frame: Frame): Value {
  const made = listValue([]);
  for (const item of expr.items) {
    const value = evaluate(machine, item.value, scope, frame);
    if (!item.spread) made.items.push(value);
    else {
      const { items, open } = itemsOf(machine, value, 'values');
      made.items.push(...items.slice(0, Math.max(0, maxItems - made.items.length)));
      made.open ||= open || made.items.length >= maxItems;
    }
  }
  return made;
}

function dictFrom(machine: Machine, expr: Dict, scope: Scope, frame: Frame): Value {
  const made = object([], { level: machine.level, at: { module: frame.run.module, spot: expr } });
  for (const entry of expr.entries) {
    const value = evaluate(machine, entry.value, scope, frame);
    if (!entry.key) {
      spread(machine, made, value);
      continue;
    }
    const key = evaluate(machine, entry.key, scope, frame);
    const name =
      key.kind === 'constant'
        ? String(key.value)
        : key.kind === 'object'
          ? stringOf(key.props.get('value'))
          : undefined;
    if (name === undefined) {
      made.open = true;
      // Kept under a name no program can write, so that values under computed keys are not lost.
      made.props.set(`\u0000${made.props.size}`, value);
    } else if (entry.accessor === 'get' && value.kind === 'function') addGetter(made, name, { ...value, self: made });
    else if (entry.accessor === undefined) made.props.set(name, value);
    if (name === 'tools' && value.kind === 'list' && machine.toolLists.length < maxOffered)
      machine.toolLists.push({ items: value, at: { module: frame.run.module, spot: entry.value } });
  }
  return made;
}

/** Copies properties, as `...x` and `**x` do. */
export function spread(machine: Machine, made: Value & { kind: 'object' }, value: Value): void {
  const options = optionsOf(value);
  for (const each of options) {
    if (each.kind === 'object') {
      // If only some options have a key, the previous value stays possible.
      const isSure = (key: string) => options.every((option) => option.kind === 'object' && option.props.has(key));
      for (const [key, inner] of each.props)
        made.props.set(
          key,
          options.length === 1 || (each === options[0] && isSure(key)) ? inner : join(made.props.get(key), inner),
        );
      for (const key of each.getters.keys()) made.props.set(key, memberOf(machine, each, key));
      made.open ||= each.open;
    } else if (each.kind === 'module') {
      const run = runModule(machine, each.path);
      for (const [key, read] of run?.exports ?? []) made.props.set(key, read() ?? undefinedValue);
    } else if (each.kind !== 'constant') made.open = true;
  }
}

function comprehensionValue(machine: Machine, expr: Comprehension, scope: Scope, frame: Frame): Value {
  const made = listValue([]);
  const pairs = object([], { level: machine.level, at: { module: frame.run.module, spot: expr } });
  const own = scopeIn(scope, machine.level, true);
  const turn = (depth: number): void => {
    const clause = expr.clauses[depth];
    if (!step(machine)) return;
    if (!clause) {
      const value = evaluate(machine, expr.element, own, frame);
      const key = expr.key && evaluate(machine, expr.key, own, frame);
      if (!key) made.items.push(value);
      else pairs.props.set(key.kind === 'constant' ? String(key.value) : `\u0000${pairs.props.size}`, value);
      return;
    }
    const { items, open } = itemsOf(
      machine,
      evaluate(machine, clause.iterable, depth === 0 ? scope : own, frame),
      'values',
    );
    made.open ||= open;
    pairs.open ||= open;
    for (const item of items.slice(0, 5_000)) {
      assign(machine, clause.target, item, own, frame, { declares: 'let' });
      // An undecidable filter keeps the item: a tool that may be offered is part of the surface.
      if (clause.conditions.every((test) => truth(evaluate(machine, test, own, frame)) !== false)) turn(depth + 1);
    }
  };
  turn(0);
  return expr.of === 'dict' ? pairs : made;
}
