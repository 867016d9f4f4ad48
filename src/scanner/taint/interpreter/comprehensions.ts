import type { Expr } from '../../ir/nodes.js';
import { assignTo } from './assign.js';
import { iterationFact } from '../facts/combine.js';
import { readKey, type Context } from './context.js';
import { forkEnv, applyProofs, type Env } from '../facts/environment.js';
import { factOf } from './expressions.js';
import { danger, taintsIn, unsafeTaints, type Fact } from '../facts/facts.js';
import { implicationsOf } from '../checks/guards.js';
import { selectItem } from './table-lookups.js';

type Comprehension = Expr & { kind: 'comprehension' };

/** Fact of `[… for item in list]`: one abstract element stands for all. */
export function comprehensionFact(context: Context, expr: Comprehension, env: Env): Fact {
  // The loop variable does not leak out of a comprehension.
  const inner = forkEnv(env);
  let isProgramFixed = true;
  for (const clause of expr.clauses) {
    const iterable = factOf(context, clause.iterable, inner);
    isProgramFixed &&= unsafeTaints(taintsIn(iterable), danger.command).length === 0;
    const turn =
      selectItem(context, clause.target, iterable, clause.conditions, inner) ??
      iterationFact(iterable, env.module.language === 'python');
    assignTo(context, clause.target, turn, inner);
    // Every element passed the filter, so its proofs hold for the element expression.
    for (const condition of clause.conditions)
      applyProofs(inner, implicationsOf(context, condition, inner).yes, (at, key) => readKey(context, at, key));
  }
  const element = factOf(context, expr.element, inner);
  const fields = new Map([['*', element]]);
  // `[word.replace("{file}", file) for word in COMMAND]`: item 0, the program, stays a constant of the code.
  if (isProgramFixed && isFilledIn(expr)) return { taints: [], fields: new Map([['0', { taints: [] }], ...fields]) };
  return { taints: taintsIn(element), fields, implies: undefined };
}

/** Whether every item is a template of the list with placeholders filled in. */
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
