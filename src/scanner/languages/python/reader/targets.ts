import type { Expr, Pattern } from '../../../ir/nodes.js';
import { endOf, fail, next, startOf, takes, type Cursor } from './cursor.js';
import { readPrimary } from './expressions.js';
import { kind } from './kinds.js';

/** Reads what a loop binds: a target, or several without brackets. */
export function readTarget(cursor: Cursor): Pattern {
  const start = startOf(cursor);
  const isRest = takes(cursor, kind.star);
  const first = readOneTarget(cursor);
  if (next(cursor) !== kind.comma) return isRest ? fail(cursor) : first;
  const items: Pattern[] = isRest ? [] : [first];
  let rest: Pattern | undefined = isRest ? first : undefined;
  while (takes(cursor, kind.comma) && next(cursor) !== kind.in) {
    if (takes(cursor, kind.star)) rest = readOneTarget(cursor);
    else items.push(readOneTarget(cursor));
  }
  return { kind: 'list-pattern', items, rest, start, end: endOf(cursor) };
}

/** Reads one target with the brackets it may have. */
export function readOneTarget(cursor: Cursor): Pattern {
  const isBracketed = next(cursor) === kind.openParen;
  return toTarget(cursor, readPrimary(cursor), isBracketed);
}

/** Makes a target of an expression; brackets around a single name are read in different ways, so they are left to others. */
export function toTarget(cursor: Cursor, expr: Expr, isBracketed: boolean): Pattern {
  if (expr.kind === 'list' && expr.of !== 'set') {
    const items: Pattern[] = [];
    let rest: Pattern | undefined;
    for (const { value, spread } of expr.items) {
      const made = toTarget(cursor, value, false);
      if (spread) rest = made;
      else items.push(made);
    }
    return { kind: 'list-pattern', items, rest, start: expr.start, end: expr.end };
  }
  if (isBracketed && cursor.text.charCodeAt(expr.start) !== kind.openParen) return fail(cursor);
  return expr.kind === 'name' || expr.kind === 'member' || expr.kind === 'index' ? expr : fail(cursor);
}
