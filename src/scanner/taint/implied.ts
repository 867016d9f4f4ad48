import type { Expr } from '../ir/nodes.js';
import { walkExpr } from '../ir/walk.js';
import type { Context } from './context.js';
import { type Env, keyOf } from './environment.js';
import { factOf } from './expressions.js';
import { type Implied, type Vouch, taintsIn } from './facts.js';

export const either = (yes: readonly Vouch[], no: readonly Vouch[]): Implied => ({ yes, no });

export const flip = ({ yes, no }: Implied): Implied => ({ yes: no, no: yes });

/** Only what both say. */
export function both(one: readonly Vouch[], other: readonly Vouch[]): readonly Vouch[] {
  return one.flatMap((each) => {
    const safe = other.filter((same) => same.key === each.key).reduce((bits, same) => bits | same.safe, 0) & each.safe;
    return other.some((same) => same.key === each.key) ? [{ key: each.key, safe }] : [{ key: each.key, safe: 0 }];
  });
}

/** The names that a check on an expression speaks for. */
export function speaksFor(context: Context, expr: Expr, env: Env, safe: number): readonly Vouch[] {
  const fact = factOf(context, expr, env);
  if (taintsIn(fact).length === 0 && !fact.from) return [];
  const key = keyOf(sameTextUnder(expr));
  const found: Vouch[] = key === undefined ? [] : [{ key, safe }];
  for (const each of fact.from ?? []) found.push({ key: each.key, safe: safe & each.kinds });
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

/** `x.strip().lower()` is x as far as an allow-list goes. */
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
