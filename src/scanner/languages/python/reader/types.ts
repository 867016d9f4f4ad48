import type { Expr } from '../../../ir/nodes.js';
import { readBrackets } from './brackets.js';
import {
  kindAfterNext,
  previousEnd,
  fail,
  withNesting,
  nextKind,
  tokenStart,
  takeName,
  accept,
  type Cursor,
} from './cursor.js';
import { readExpr } from './expressions.js';
import { kind } from './kinds.js';

const isGeneric = (cursor: Cursor): boolean =>
  nextKind(cursor) === kind.name && kindAfterNext(cursor) === kind.openBracket;

/** Parses a type annotation: an expression whose subscripts contain types. */
export const readType = (cursor: Cursor): Expr => withNesting(cursor, readUnion);

function readUnion(cursor: Cursor): Expr {
  if (!isGeneric(cursor)) return readExpr(cursor);
  const start = tokenStart(cursor);
  let made = readGeneric(cursor);
  while (accept(cursor, kind.bar)) {
    const right = isGeneric(cursor) ? readGeneric(cursor) : readExpr(cursor);
    made = { kind: 'binary', op: '|', left: made, right, start, end: previousEnd(cursor) };
  }
  return made;
}

function readGeneric(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  let made: Expr = { kind: 'name', name: takeName(cursor), start, end: previousEnd(cursor) };
  made = readBrackets(cursor, made, { start, tupleStart: tokenStart(cursor), part: readType });
  while (accept(cursor, kind.dot))
    made = { kind: 'member', object: made, property: takeName(cursor), start, end: previousEnd(cursor) };
  return nextKind(cursor) === kind.openBracket || nextKind(cursor) === kind.openParen ? fail(cursor) : made;
}
