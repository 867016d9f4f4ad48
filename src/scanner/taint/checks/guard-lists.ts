import type { Expr } from '../../ir/nodes.js';
import { elementOf, constantText } from '../facts/combine.js';
import type { Context } from '../interpreter/context.js';
import { forkEnv, type Env } from '../facts/environment.js';
import { factOf } from '../interpreter/expressions.js';
import { allSafe, anyPath, danger, noImplication, taintsIn, type Fact, type Implication } from '../facts/facts.js';
import { implicationsOf } from './guards.js';
import { intersectProofs, toImplication, proofsFor } from './implications.js';

/** Constant strings of a list or table, joined with spaces. */
export function knownItems(fact: Fact): string {
  const { value } = fact;
  const items =
    value?.kind === 'list'
      ? value.items
      : value?.kind === 'object'
        ? [...(value.collection?.values ?? []), ...(value.collection?.keys ?? [])]
        : [];
  const fields = [...(fact.fields?.values() ?? [])].map((field) => constantText(field) ?? '');
  return [...items.map((item) => (item.kind === 'constant' ? String(item.value) : '')), ...fields].join(' ');
}

/** One item of a list; a proof about every item is a proof about the list. */
export function listItem(fact: Fact, list?: string): Fact {
  if (fact.value?.kind === 'list' && !fact.fields)
    return { taints: [], value: { kind: 'choice', options: fact.value.items.slice(0, 12) } };
  return withListKeys(elementOf(fact), fact, list);
}

/** Links a tainted item to the keys of its list, so that a check of each item proves the list. */
export function withListKeys(item: Fact, list: Fact, key: string | undefined): Fact {
  const names = (list.from ?? []).filter(({ kinds }) => kinds === allSafe);
  const own = key === undefined ? names : [...names, { key, kinds: allSafe }];
  return own.length === 0 || taintsIn(item).length === 0 ? item : { ...item, from: [...(item.from ?? []), ...own] };
}

/** `list.some((x) => test)`: what the test proves about variables outside the callback. */
export function callbackImplication(
  context: Context,
  expr: Expr & { kind: 'function' },
  element: Fact,
  env: Env,
  how: 'some' | 'every',
): Implication {
  const inner = forkEnv(env);
  const [only] = expr.fn.body;
  expr.fn.params.forEach((param, at) => {
    if (param.target.kind === 'name') inner.vars.set(param.target.name, at === 0 ? element : { taints: [] });
  });
  for (const stmt of expr.fn.body) {
    if (stmt.kind === 'assign' && stmt.target.kind === 'name' && stmt.value)
      inner.vars.set(stmt.target.name, factOf(context, stmt.value, inner));
  }
  const last = expr.fn.body.at(-1) ?? only;
  if (last?.kind !== 'return' || !last.value) return noImplication;
  const { yes, no } = implicationsOf(context, last.value, inner);
  if (taintsIn(element).length === 0)
    return how === 'some' ? toImplication(yes, no) : toImplication(yes, intersectProofs(no, no));
  // For a tainted list only a uniform answer proves anything: `every` true or `some` false.
  return how === 'some' ? toImplication([], no) : toImplication(yes, []);
}

/** `any(…)`, `all(…)` and `next(…)` over a comprehension. */
export function quantifierImplication(
  context: Context,
  expr: Expr & { kind: 'comprehension' },
  env: Env,
  how: 'any' | 'all' | 'found',
): Implication {
  const inner = forkEnv(env);
  const items: string[] = [];
  for (const clause of expr.clauses) {
    const iterable = factOf(context, clause.iterable, inner);
    // Iterating over a string yields its characters.
    items.push([...(constantText(iterable) ?? '')].join(' ') || knownItems(iterable));
    const element: Fact =
      taintsIn(iterable).length > 0 ? { taints: taintsIn(iterable), from: iterable.from } : listItem(iterable);
    if (clause.target.kind === 'name') inner.vars.set(clause.target.name, element);
  }
  // `next(root for root in roots if path.is_relative_to(root))`: a match has satisfied the conditions.
  const conditions = expr.clauses.flatMap((clause) => clause.conditions);
  if (how === 'found')
    return toImplication(
      conditions.flatMap((test) => implicationsOf(context, test, inner).yes),
      [],
    );
  const { yes, no } = implicationsOf(context, expr.element, inner);
  // any(bad in x for bad in ["..", "/"]): every item of the constant list is rejected.
  const refused = expr.element.kind === 'binary' && expr.element.op === 'in' ? rejectedDangers(items.join(' ')) : 0;
  const more =
    refused === 0 || expr.element.kind !== 'binary' ? [] : proofsFor(context, expr.element.right, inner, refused);
  return how === 'any' ? toImplication(yes, [...no, ...more]) : toImplication(yes, []);
}

function rejectedDangers(items: string): number {
  const words = new Set(items.split(' '));
  let safe = 0;
  if (words.has('..')) safe |= danger.pathUp;
  if (words.has('/')) safe |= anyPath;
  if ([';', '|', '&', '`', '$'].every((char) => words.has(char))) safe |= danger.command;
  return safe;
}

/** `list.filter((x) => test)[0]` and `.length`: a match exists only if the test held for it. */
export function firstMatchImplication(
  context: Context,
  expr: Expr & { kind: 'index' | 'member' },
  env: Env,
): Implication | undefined {
  const isFirst =
    expr.kind === 'index' ? expr.index.kind === 'literal' && expr.index.value === 0 : expr.property === 'length';
  const { object } = expr;
  if (!isFirst || object.kind !== 'call' || object.callee.kind !== 'member') return undefined;
  const test = object.args[0]?.value;
  if (object.callee.property !== 'filter' || test?.kind !== 'function') return undefined;
  return callbackImplication(context, test, listItem(factOf(context, object.callee.object, env)), env, 'some');
}
