import type { Expr } from '../../../ir/nodes.js';
import { readBrackets } from './brackets.js';
import { afterNext, endOf, fail, nested, next, startOf, takeName, takes, type Cursor } from './cursor.js';
import { readExpr } from './expressions.js';
import { kind } from './kinds.js';

const isGeneric = (cursor: Cursor): boolean => next(cursor) === kind.name && afterNext(cursor) === kind.openBracket;

/** Reads the type of a name: an expression whose brackets hold types again. */
export const readType = (cursor: Cursor): Expr => nested(cursor, readUnion);

function readUnion(cursor: Cursor): Expr {
  if (!isGeneric(cursor)) return readExpr(cursor);
  const start = startOf(cursor);
  let made = readGeneric(cursor);
  while (takes(cursor, kind.bar)) {
    const right = isGeneric(cursor) ? readGeneric(cursor) : readExpr(cursor);
    made = { kind: 'binary', op: '|', left: made, right, start, end: endOf(cursor) };
  }
  return made;
}

function readGeneric(cursor: Cursor): Expr {
  const start = startOf(cursor);
  let made: Expr = { kind: 'name', name: takeName(cursor), start, end: endOf(cursor) };
  made = readBrackets(cursor, made, { start, tupleStart: startOf(cursor), part: readType });
  while (takes(cursor, kind.dot))
    made = { kind: 'member', object: made, property: takeName(cursor), start, end: endOf(cursor) };
  return next(cursor) === kind.openBracket || next(cursor) === kind.openParen ? fail(cursor) : made;
}
