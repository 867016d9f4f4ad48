import type { Expr } from '../../../ir/nodes.js';
import { previousEnd, expect, fail, nextKind, accept, type Cursor } from './cursor.js';
import { kind } from './kinds.js';

/** Parses a subscript; several parts form a tuple, which starts at `tupleStart`. */
export function readBrackets(
  cursor: Cursor,
  object: Expr,
  { start, tupleStart, part }: { readonly start: number; readonly tupleStart: number; part(cursor: Cursor): Expr },
): Expr {
  expect(cursor, kind.openBracket);
  const parts: Expr[] = [];
  do {
    if (nextKind(cursor) === kind.closeBracket) break;
    parts.push(part(cursor));
  } while (accept(cursor, kind.comma));
  expect(cursor, kind.closeBracket);
  const end = previousEnd(cursor);
  const [only] = parts;
  if (!only) return fail(cursor);
  const index: Expr =
    parts.length === 1
      ? only
      : { kind: 'list', of: 'tuple', items: parts.map((value) => ({ value, spread: false })), start: tupleStart, end };
  return { kind: 'index', object, index, start, end };
}
