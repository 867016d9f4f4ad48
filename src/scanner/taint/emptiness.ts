import type { Expr } from '../ir/nodes.js';
import { keyOf } from './environment.js';
import type { Vouch } from './facts.js';

/** The names that hold nothing when a condition is true, and when it is false. */
export interface Emptiness {
  readonly whenTrue: readonly string[];
  readonly whenFalse: readonly string[];
}

const never: Emptiness = { whenTrue: [], whenFalse: [] };

/**
 * What a condition that only asks whether something was given says: `path`, `!path`, `path !== undefined`,
 * `path.length > 0`. With `texts` a value that is no text counts as nothing, as it does to a check of texts.
 */
export function emptiness(expr: Expr, texts = false): Emptiness {
  switch (expr.kind) {
    case 'name':
    case 'member':
    case 'index': {
      const key = keyOf(expr.kind === 'member' && expr.property === 'length' ? expr.object : expr);
      return key === undefined ? never : { whenTrue: [], whenFalse: [key] };
    }
    case 'unary':
      return expr.op === 'not' ? turned(emptiness(expr.value, texts)) : never;
    case 'logical': {
      const [left, right] = [emptiness(expr.left, texts), emptiness(expr.right, texts)];
      const shared = (one: readonly string[], other: readonly string[]): readonly string[] =>
        one.filter((key) => other.includes(key));
      return expr.op === 'and'
        ? { whenTrue: [...left.whenTrue, ...right.whenTrue], whenFalse: shared(left.whenFalse, right.whenFalse) }
        : { whenTrue: shared(left.whenTrue, right.whenTrue), whenFalse: [...left.whenFalse, ...right.whenFalse] };
    }
    case 'binary':
      return compared(expr, texts);
    default:
      return never;
  }
}

const turned = ({ whenTrue, whenFalse }: Emptiness): Emptiness => ({ whenTrue: whenFalse, whenFalse: whenTrue });

function compared({ op, left, right }: Expr & { kind: 'binary' }, texts: boolean): Emptiness {
  if (op === '>' && right.kind === 'literal' && right.value === 0) return emptiness(left);
  if (op !== '==' && op !== '!=' && op !== 'is' && op !== 'is not') return never;
  const isNot = op === '!=' || op === 'is not';
  if (left.kind === 'unary' && left.op === 'typeof' && right.kind === 'literal') {
    const asked = emptiness(left.value);
    if (right.value === 'string' && texts) return isNot ? turned(asked) : asked;
    return right.value === 'undefined' ? (isNot ? asked : turned(asked)) : never;
  }
  const isNothing =
    (right.kind === 'literal' && (right.value === null || right.value === undefined || right.value === '')) ||
    (right.kind === 'name' && right.name === 'undefined');
  if (!isNothing) return never;
  return isNot ? emptiness(left) : turned(emptiness(left));
}

/** What is said about names that hold nothing, or about their parts: of nothing, anything may be said. */
export const saidOf = (vouches: readonly Vouch[], empty: readonly string[]): readonly Vouch[] =>
  empty.length === 0
    ? []
    : vouches.filter(({ key }) => empty.some((each) => key === each || key.startsWith(`${each}.`)));
