import type { Expr } from '../ir/nodes.js';
import { assignTo } from './assign.js';
import { turnOf } from './combine.js';
import { readKey, type Context } from './context.js';
import { branch, vouch, type Env } from './environment.js';
import { factOf } from './expressions.js';
import { danger, taintsIn, unsafe, type Fact } from './facts.js';
import { impliedBy } from './guards.js';
import { meantItem } from './meant.js';

type Comprehension = Expr & { kind: 'comprehension' };

/** What `[… for item in list]` makes: one element stands for all. */
export function comprehended(context: Context, expr: Comprehension, env: Env): Fact {
  const inner = branch(env);
  let isOwn = true;
  for (const clause of expr.clauses) {
    const iterable = factOf(context, clause.iterable, inner);
    isOwn &&= unsafe(taintsIn(iterable), danger.command).length === 0;
    const turn =
      meantItem(context, clause.target, iterable, clause.conditions, inner) ??
      turnOf(iterable, env.module.language === 'python');
    assignTo(context, clause.target, turn, inner);
    for (const condition of clause.conditions)
      vouch(inner, impliedBy(context, condition, inner).yes, (at, key) => readKey(context, at, key));
  }
  const element = factOf(context, expr.element, inner);
  const fields = new Map([['*', element]]);
  // `[word.replace("{file}", file) for word in COMMAND]`: which program runs stays the code's own choice.
  if (isOwn && isFilledIn(expr)) return { taints: [], fields: new Map([['0', { taints: [] }], ...fields]) };
  return { taints: taintsIn(element), fields, implies: undefined };
}

/** Whether every item is one of the list with places in it filled. */
function isFilledIn({ element, clauses }: Comprehension): boolean {
  const [clause, ...others] = clauses;
  if (!clause || others.length > 0 || clause.target.kind !== 'name') return false;
  const callee = element.kind === 'call' ? element.callee : undefined;
  return (
    callee?.kind === 'member' &&
    /^(?:replace|format|format_map)$/.test(callee.property) &&
    callee.object.kind === 'name' &&
    callee.object.name === clause.target.name
  );
}
