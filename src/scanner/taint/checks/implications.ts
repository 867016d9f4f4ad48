import type { Expr } from '../../ir/nodes.js';
import { walkExpr } from '../../ir/walk.js';
import type { Context } from '../interpreter/context.js';
import { type Env, keyOf } from '../facts/environment.js';
import { factOf } from '../interpreter/expressions.js';
import { type Implication, type Proof, taintsIn } from '../facts/facts.js';

/** Path condition from the proofs of both branches. */
export const toImplication = (yes: readonly Proof[], no: readonly Proof[]): Implication => ({ yes, no });

/** Path condition of `not x`. */
export const negate = ({ yes, no }: Implication): Implication => ({ yes: no, no: yes });

/** Proofs common to both lists: the join of two path conditions. */
export function intersectProofs(one: readonly Proof[], other: readonly Proof[]): readonly Proof[] {
  return one.flatMap((each) => {
    const safe = other.filter((same) => same.key === each.key).reduce((bits, same) => bits | same.safe, 0) & each.safe;
    // Zero bits still record that a check looked at the value.
    return other.some((same) => same.key === each.key) ? [{ key: each.key, safe }] : [{ key: each.key, safe: 0 }];
  });
}

/** Proofs that a check of an expression yields: for its own access path and the variables it was derived from. */
export function proofsFor(context: Context, expr: Expr, env: Env, safe: number): readonly Proof[] {
  const fact = factOf(context, expr, env);
  if (taintsIn(fact).length === 0 && !fact.from) return [];
  const key = keyOf(sameTextUnder(expr));
  const found: Proof[] = key === undefined ? [] : [{ key, safe }];
  for (const each of fact.from ?? []) found.push({ key: each.key, safe: safe & each.kinds });
  // No access path: the variables inside were looked at, without proof.
  if (key === undefined)
    walkExpr(expr, {
      expr: (inner) =>
        inner.kind === 'name' ? void found.push({ key: inner.name, safe: 0 }) : inner.kind !== 'function',
    });
  return found;
}

const sameText = new Set([
  'lower',
  'strip',
  'upper',
  'trim',
  'toLowerCase',
  'toUpperCase',
  'toString',
  'casefold',
  'normalize',
]);

/** `x.strip().lower()` counts as `x` for an allow-list. */
function sameTextUnder(expr: Expr): Expr {
  let at = expr;
  for (;;) {
    if (at.kind === 'await') at = at.value;
    else if (at.kind === 'call' && at.callee.kind === 'member' && sameText.has(at.callee.property))
      at = at.callee.object;
    else if (
      at.kind === 'call' &&
      at.callee.kind === 'name' &&
      (at.callee.name === 'str' || at.callee.name === 'String') &&
      at.args[0]
    )
      at = at.args[0].value;
    else return at;
  }
}
