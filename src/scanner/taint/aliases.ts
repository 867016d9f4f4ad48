import type { Expr } from '../ir/nodes.js';
import { keyOf } from './environment.js';
import { all, danger, type Fact } from './facts.js';

/** A value under a second name: what is found of it there is found of the first. */
export function aliasOf(expr: Expr, fact: Fact): Fact {
  const key = fact.taints.length === 0 ? undefined : keyOf(expr);
  return key === undefined ? fact : { ...fact, from: [...(fact.from ?? []), { key, kinds: all }] };
}

const scheme = /^(?:https?:)?(?:\/\/)?$/;

/** An address that was only given its beginning leads where it led before. */
export function withScheme(parts: readonly (Expr | string)[], made: Fact): Fact {
  if (made.taints.length === 0 || typeof made.lead !== 'string' || made.lead === '' || !scheme.test(made.lead))
    return made;
  const keys = parts.flatMap((part) => (typeof part === 'string' ? [] : (keyOf(part) ?? [])));
  return keys.length === 1 ? { ...made, from: keys.map((key) => ({ key, kinds: danger.url })) } : made;
}
