import type { Expr } from '../../ir/nodes.js';
import { keyOf } from '../facts/environment.js';
import type { Proof } from '../facts/facts.js';

/** Variables that are empty when a condition is true, and when it is false. */
interface Emptiness {
  readonly whenTrue: readonly string[];
  readonly whenFalse: readonly string[];
}

const noEmptiness: Emptiness = { whenTrue: [], whenFalse: [] };

/**
 * Recognises presence tests: `path`, `!path`, `path !== undefined`, `path.length > 0`. With `texts` a value that is not
 * a string counts as empty too.
 */
export function emptiness(expr: Expr, texts = false): Emptiness {
  switch (expr.kind) {
    case 'name':
    case 'member':
    case 'index': {
      const key = keyOf(expr.kind === 'member' && expr.property === 'length' ? expr.object : expr);
      return key === undefined ? noEmptiness : { whenTrue: [], whenFalse: [key] };
    }
    case 'unary':
      return expr.op === 'not' ? negateEmptiness(emptiness(expr.value, texts)) : noEmptiness;
    case 'logical': {
      const [left, right] = [emptiness(expr.left, texts), emptiness(expr.right, texts)];
      const shared = (one: readonly string[], other: readonly string[]): readonly string[] =>
        one.filter((key) => other.includes(key));
      // De Morgan: a conjunction is false if either side is, so only shared variables are known to be empty.
      return expr.op === 'and'
        ? { whenTrue: [...left.whenTrue, ...right.whenTrue], whenFalse: shared(left.whenFalse, right.whenFalse) }
        : { whenTrue: shared(left.whenTrue, right.whenTrue), whenFalse: [...left.whenFalse, ...right.whenFalse] };
    }
    case 'binary':
      return comparisonEmptiness(expr, texts);
    default:
      return noEmptiness;
  }
}

const negateEmptiness = ({ whenTrue, whenFalse }: Emptiness): Emptiness => ({
  whenTrue: whenFalse,
  whenFalse: whenTrue,
});

function comparisonEmptiness({ op, left, right }: Expr & { kind: 'binary' }, texts: boolean): Emptiness {
  if (op === '>' && right.kind === 'literal' && right.value === 0) return emptiness(left);
  if (op !== '==' && op !== '!=' && op !== 'is' && op !== 'is not') return noEmptiness;
  const isNot = op === '!=' || op === 'is not';
  if (left.kind === 'unary' && left.op === 'typeof' && right.kind === 'literal') {
    const asked = emptiness(left.value);
    if (right.value === 'string' && texts) return isNot ? negateEmptiness(asked) : asked;
    return right.value === 'undefined' ? (isNot ? asked : negateEmptiness(asked)) : noEmptiness;
  }
  const isNothing =
    (right.kind === 'literal' && (right.value === null || right.value === undefined || right.value === '')) ||
    (right.kind === 'name' && right.name === 'undefined');
  if (!isNothing) return noEmptiness;
  return isNot ? emptiness(left) : negateEmptiness(emptiness(left));
}

/** Proofs about empty variables and their fields: an empty value satisfies any proof (ex falso). */
export const proofsOnEmpty = (vouches: readonly Proof[], empty: readonly string[]): readonly Proof[] =>
  empty.length === 0
    ? []
    : vouches.filter(({ key }) => empty.some((each) => key === each || key.startsWith(`${each}.`)));
