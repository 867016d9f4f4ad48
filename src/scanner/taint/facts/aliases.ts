import type { Expr } from '../../ir/nodes.js';
import { keyOf } from './environment.js';
import { allSafe, danger, type Fact } from './facts.js';

/** Records that a value is an alias of a variable, so that a check of one proves the other. */
export function withAlias(expr: Expr, fact: Fact): Fact {
  // Untainted values need no alias: there is nothing a check could prove about them.
  const key = fact.taints.length === 0 ? undefined : keyOf(expr);
  return key === undefined ? fact : { ...fact, from: [...(fact.from ?? []), { key, kinds: allSafe }] };
}

/** Only a scheme or `//` before the value: anything longer could already contain a host. */
const scheme = /^(?:https?:)?(?:\/\/)?$/;

/** Prepending a scheme does not change the host: a check of the result also proves the original URL. */
export function withScheme(parts: readonly (Expr | string)[], made: Fact): Fact {
  if (made.taints.length === 0 || typeof made.lead !== 'string' || made.lead === '' || !scheme.test(made.lead))
    return made;
  // With two variables in the URL the checked host could come from either, so none is proved.
  const keys = parts.flatMap((part) => (typeof part === 'string' ? [] : (keyOf(part) ?? [])));
  return keys.length === 1 ? { ...made, from: keys.map((key) => ({ key, kinds: danger.url })) } : made;
}
