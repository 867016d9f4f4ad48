import type { Expr, Pattern } from '../../../ir/nodes.js';
import { previousEnd, fail, nextKind, tokenStart, accept, type Cursor } from './cursor.js';
import { readPrimary } from './expressions.js';
import { kind } from './kinds.js';

/** Parses a loop target: one, or an unparenthesised tuple. */
export function readTarget(cursor: Cursor): Pattern {
  const start = tokenStart(cursor);
  const isRest = accept(cursor, kind.star);
  const first = readOneTarget(cursor);
  if (nextKind(cursor) !== kind.comma) return isRest ? fail(cursor) : first;
  const items: Pattern[] = isRest ? [] : [first];
  let rest: Pattern | undefined = isRest ? first : undefined;
  while (accept(cursor, kind.comma) && nextKind(cursor) !== kind.in) {
    if (accept(cursor, kind.star)) rest = readOneTarget(cursor);
    else items.push(readOneTarget(cursor));
  }
  return { kind: 'list-pattern', items, rest, start, end: previousEnd(cursor) };
}

/** Parses one target, possibly parenthesised. */
export function readOneTarget(cursor: Cursor): Pattern {
  const isBracketed = nextKind(cursor) === kind.openParen;
  return toTarget(cursor, readPrimary(cursor), isBracketed);
}

/** Converts an expression into a target; a parenthesised name is ambiguous and left to tree-sitter. */
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
