import type { Call, Comprehension, Dict, Expr, FunctionNode, List } from '../ir/nodes.js';
import { assign } from './assign.js';
import { callExpr } from './call-expressions.js';
import { classFrom } from './classes.js';
import { globalOf } from './globals.js';
import { itemsOf } from './iterate.js';
import { maybe, step, type Frame, type Machine } from './machine.js';
import { memberOf } from './members.js';
import { follow, runModule } from './modules.js';
import { narrowed } from './narrow.js';
import { binary, text } from './operators.js';
import { importFrom } from './imports.js';
import { lookup, scopeIn, type Scope } from './scope.js';
import {
  constant,
  join,
  joinAll,
  list,
  nothing,
  object,
  optionsOf,
  stringOf,
  truth,
  unknown,
  type FunctionValue,
  type Value,
} from './values.js';

/** A function value closing over its scope. */
export const functionFrom = (fn: FunctionNode, scope: Scope, frame: Frame): FunctionValue => ({
  kind: 'function',
  fn,
  scope,
  module: frame.run.module,
  ...(fn.isArrow && frame.self ? { self: frame.self } : {}),
  ...(frame.home ? { home: frame.home } : {}),
  props: new Map(),
});

/** What an expression comes to, as far as it can be told without running anything. */
export function evaluate(machine: Machine, expr: Expr, scope: Scope, frame: Frame): Value {
  if (!step(machine)) return unknown('budget');
  const value = (inner: Expr): Value => evaluate(machine, inner, scope, frame);
  switch (expr.kind) {
    case 'literal':
      return constant(expr.value);
    case 'template':
      return text(expr.parts.map((part) => (typeof part === 'string' ? part : value(part))));
    case 'name':
      return follow(
        machine,
        lookup(scope, expr.name) ??
          (expr.name === 'this' ? (frame.self ?? nothing) : globalOf(machine, expr.name, frame)),
      );
    case 'member':
      return memberOf(machine, value(expr.object), expr.property);
    case 'index':
      if (expr.index.kind === 'slice')
        return sliced(
          value(expr.object),
          [expr.index.lower, expr.index.upper].map((bound) => bound && value(bound)),
        );
      return indexed(machine, value(expr.object), value(expr.index));
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
      return sum(machine, expr, scope, frame);
    case 'logical':
      return logical(expr.op, value(expr.left), () => maybe(machine, () => value(expr.right)));
    case 'unary': {
      const inner = value(expr.value);
      const known = expr.op === 'not' ? truth(inner) : undefined;
      if (expr.op === 'not') return known === undefined ? unknown('not') : constant(!known);
      if (expr.op === '-' && inner.kind === 'constant' && typeof inner.value === 'number')
        return constant(-inner.value);
      return expr.op === 'void' ? nothing : expr.op === 'typeof' ? typeOf(inner) : unknown(expr.op);
    }
    case 'conditional': {
      const known = truth(value(expr.test));
      if (known !== undefined) return value(known ? expr.yes : expr.no);
      return maybe(machine, () =>
        join(
          narrowed(expr.test, true, scope, () => value(expr.yes)),
          narrowed(expr.test, false, scope, () => value(expr.no)),
        ),
      );
    }
    case 'assign': {
      const made = value(expr.value);
      assign(machine, expr.target, made, scope, frame, { op: expr.op });
      return expr.op === undefined ? made : unknown('update');
    }
    case 'await':
      return value(expr.value);
    case 'yield': {
      const made = expr.value ? value(expr.value) : nothing;
      // In a generator that a compiler made of an async function, a yield waits and goes on with the value.
      if (!frame.isGenerator) return made;
      if (expr.delegate) frame.yielded.push(...itemsOf(machine, made, 'values').items);
      else frame.yielded.push(made);
      return unknown('sent');
    }
    case 'comprehension':
      return comprehend(machine, expr, scope, frame);
    case 'sequence':
      return expr.items.map(value).at(-1) ?? nothing;
    case 'import':
      return importFrom(machine, pathIn(machine, value(expr.source)), { module: frame.run.module, spot: expr });
    case 'tagged':
      return stringOf(value(expr.template)) === undefined ? unknown('tagged template') : value(expr.template);
    case 'opaque':
      return unknown(expr.what);
    default:
      return unknown(expr.kind);
  }
}

/** `import(pathToFileURL(x))` takes the URL for its path. */
const pathIn = (machine: Machine, source: Value): Value =>
  source.kind === 'object' && source.props.has('href') ? memberOf(machine, source, 'href') : source;

function typeOf(value: Value): Value {
  if (value.kind === 'function' || value.kind === 'class' || value.kind === 'native') return constant('function');
  if (value.kind === 'constant') return constant(value.value === null ? 'object' : typeof value.value);
  if (value.kind === 'text') return constant('string');
  return value.kind === 'object' || value.kind === 'list' ? constant('object') : unknown('typeof');
}

/** A chain of operators is walked by loop, since a long sum is one deep tree. */
function sum(machine: Machine, expr: Expr & { kind: 'binary' }, scope: Scope, frame: Frame): Value {
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

function logical(op: 'and' | 'or' | '??', left: Value, right: () => Value): Value {
  const known = op === '??' ? isThere(left) : truth(left);
  if (op === 'and') return known === false ? left : known === true ? right() : join(right(), unknown('and'));
  return known === true ? left : known === false ? right() : join(left.kind === 'external' ? undefined : left, right());
}

const isThere = (value: Value): boolean | undefined => {
  if (value.kind === 'constant') return value.value !== null && value.value !== undefined;
  return value.kind === 'unknown' || value.kind === 'external' || value.kind === 'choice' || value.kind === 'result'
    ? undefined
    : true;
};

/** `object[key]`. */
export function indexed(machine: Machine, holder: Value, key: Value): Value {
  let found: Value | undefined;
  for (const each of optionsOf(holder)) {
    for (const index of optionsOf(key)) found = join(found, indexedOne(machine, each, index));
  }
  return found ?? unknown('index');
}

function indexedOne(machine: Machine, holder: Value, key: Value): Value {
  if (holder.kind === 'list' && key.kind === 'constant' && typeof key.value === 'number')
    return holder.items.at(key.value) ?? (holder.open ? unknown('item') : nothing);
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
  if (name !== undefined && holder.kind === 'class' && holder.module.language === 'python')
    return holder.statics.get(name) ?? holder;
  // Python keys that are enumeration members count by their value.
  const enumerated = key.kind === 'object' ? stringOf(key.props.get('value')) : undefined;
  if (name !== undefined || enumerated !== undefined) return memberOf(machine, holder, name ?? enumerated ?? '');
  if (holder.kind === 'class') return holder;
  if (holder.kind === 'list') return joinAll(holder.items, unknown('item'));
  if (holder.kind === 'object' && !holder.cls) return joinAll(holder.props.values(), unknown('item'));
  return holder.kind === 'external' ? holder : unknown('index');
}

/** `items[a:b]`; where the bounds are not known, all of it: a page of a list is a part of what can be asked for. */
function sliced(holder: Value, bounds: readonly (Value | undefined)[]): Value {
  const [lower, upper] = bounds.map((bound) =>
    bound?.kind === 'constant' && typeof bound.value === 'number' ? bound.value : undefined,
  );
  const isKnown = bounds.every((bound) => !bound || (bound.kind === 'constant' && typeof bound.value === 'number'));
  if (holder.kind === 'list')
    return isKnown ? list(holder.items.slice(lower ?? 0, upper), holder.open) : list([...holder.items], holder.open);
  const known = stringOf(holder);
  return known === undefined || !isKnown ? unknown('slice') : constant(known.slice(lower ?? 0, upper));
}

const maxItems = 5_000;

function listFrom(machine: Machine, expr: List, scope: Scope, frame: Frame): Value {
  const made = list([]);
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
      made.props.set(`\u0000${made.props.size}`, value);
    } else if (entry.accessor === 'get' && value.kind === 'function') made.getters.set(name, { ...value, self: made });
    else if (entry.accessor === undefined) made.props.set(name, value);
  }
  return made;
}

/** Copies what is known of one object into another, as `...x` and `**x` do. */
export function spread(machine: Machine, made: Value & { kind: 'object' }, value: Value): void {
  const options = optionsOf(value);
  for (const each of options) {
    if (each.kind === 'object') {
      // Where only some of the options have a key, what stood there before stays possible.
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
      for (const [key, read] of run?.exports ?? []) made.props.set(key, read() ?? nothing);
    } else if (each.kind !== 'constant') made.open = true;
  }
}

function comprehend(machine: Machine, expr: Comprehension, scope: Scope, frame: Frame): Value {
  const made = list([]);
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
      // A filter that cannot be told keeps the item: a tool that may be offered is part of the surface.
      if (clause.conditions.every((test) => truth(evaluate(machine, test, own, frame)) !== false)) turn(depth + 1);
    }
  };
  turn(0);
  return expr.of === 'dict' ? pairs : made;
}
