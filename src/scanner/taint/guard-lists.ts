import type { Expr } from '../ir/nodes.js';
import { elementOf, textOf } from './combine.js';
import type { Context } from './context.js';
import { branch, type Env } from './environment.js';
import { factOf } from './expressions.js';
import { all, anyPath, danger, noImplied, taintsIn, type Fact, type Implied } from './facts.js';
import { impliedBy } from './guards.js';
import { both, either, speaksFor } from './implied.js';

/** The texts in a list or table that the run knows. */
export function knownItems(fact: Fact): string {
  const { value } = fact;
  const items =
    value?.kind === 'list'
      ? value.items
      : value?.kind === 'object'
        ? [...(value.collection?.values ?? []), ...(value.collection?.keys ?? [])]
        : [];
  const fields = [...(fact.fields?.values() ?? [])].map((field) => textOf(field) ?? '');
  return [...items.map((item) => (item.kind === 'constant' ? String(item.value) : '')), ...fields].join(' ');
}

/** One item of a list, also of one that the run knows as a whole; what is found of every item is found of the list. */
export function itemOf(fact: Fact, list?: string): Fact {
  if (fact.value?.kind === 'list' && !fact.fields)
    return { taints: [], value: { kind: 'choice', options: fact.value.items.slice(0, 12) } };
  return ofList(elementOf(fact), fact, list);
}

/** An item of the caller's, which speaks for the list that it stands in, by all the names that the list has. */
export function ofList(item: Fact, list: Fact, key: string | undefined): Fact {
  const names = (list.from ?? []).filter(({ kinds }) => kinds === all);
  const own = key === undefined ? names : [...names, { key, kinds: all }];
  return own.length === 0 || taintsIn(item).length === 0 ? item : { ...item, from: [...(item.from ?? []), ...own] };
}

/** `list.some((x) => test)`: what the test says about names outside the callback. */
export function callbackImplied(
  context: Context,
  expr: Expr & { kind: 'function' },
  element: Fact,
  env: Env,
  how: 'some' | 'every',
): Implied {
  const inner = branch(env);
  const [only] = expr.fn.body;
  expr.fn.params.forEach((param, at) => {
    if (param.target.kind === 'name') inner.vars.set(param.target.name, at === 0 ? element : { taints: [] });
  });
  for (const stmt of expr.fn.body) {
    if (stmt.kind === 'assign' && stmt.target.kind === 'name' && stmt.value)
      inner.vars.set(stmt.target.name, factOf(context, stmt.value, inner));
  }
  const last = expr.fn.body.at(-1) ?? only;
  if (last?.kind !== 'return' || !last.value) return noImplied;
  const { yes, no } = impliedBy(context, last.value, inner);
  if (taintsIn(element).length === 0) return how === 'some' ? either(yes, no) : either(yes, both(no, no));
  // Of the caller's own list a question about each item tells only where all of them answer alike.
  return how === 'some' ? either([], no) : either(yes, []);
}

export function quantified(
  context: Context,
  expr: Expr & { kind: 'comprehension' },
  env: Env,
  how: 'any' | 'all' | 'found',
): Implied {
  const inner = branch(env);
  const items: string[] = [];
  for (const clause of expr.clauses) {
    const iterable = factOf(context, clause.iterable, inner);
    // Going through a text gives its characters.
    items.push([...(textOf(iterable) ?? '')].join(' ') || knownItems(iterable));
    const element: Fact =
      taintsIn(iterable).length > 0 ? { taints: taintsIn(iterable), from: iterable.from } : itemOf(iterable);
    if (clause.target.kind === 'name') inner.vars.set(clause.target.name, element);
  }
  // `next(root for root in roots if path.is_relative_to(root))`: what is found has passed its conditions.
  const conditions = expr.clauses.flatMap((clause) => clause.conditions);
  if (how === 'found')
    return either(
      conditions.flatMap((test) => impliedBy(context, test, inner).yes),
      [],
    );
  const { yes, no } = impliedBy(context, expr.element, inner);
  // any(bad in x for bad in ["..", "/"]): each item of a known list is refused.
  const refused = expr.element.kind === 'binary' && expr.element.op === 'in' ? refusals(items.join(' ')) : 0;
  const more =
    refused === 0 || expr.element.kind !== 'binary' ? [] : speaksFor(context, expr.element.right, inner, refused);
  return how === 'any' ? either(yes, [...no, ...more]) : either(yes, []);
}

function refusals(items: string): number {
  const words = new Set(items.split(' '));
  let safe = 0;
  if (words.has('..')) safe |= danger.pathUp;
  if (words.has('/')) safe |= anyPath;
  if ([';', '|', '&', '`', '$'].every((char) => words.has(char))) safe |= danger.command;
  return safe;
}

/** `list.filter((x) => test)[0]` and its `length`: there is one only where the test held for it. */
export function foundFirst(context: Context, expr: Expr & { kind: 'index' | 'member' }, env: Env): Implied | undefined {
  const isFirst =
    expr.kind === 'index' ? expr.index.kind === 'literal' && expr.index.value === 0 : expr.property === 'length';
  const { object } = expr;
  if (!isFirst || object.kind !== 'call' || object.callee.kind !== 'member') return undefined;
  const test = object.args[0]?.value;
  if (object.callee.property !== 'filter' || test?.kind !== 'function') return undefined;
  return callbackImplied(context, test, itemOf(factOf(context, object.callee.object, env)), env, 'some');
}
