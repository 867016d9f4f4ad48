import type { Expr } from '../../../ir/nodes.js';
import { endOf, expect, fail, next, takes, type Cursor } from './cursor.js';
import { kind } from './kinds.js';

/** Reads what stands in brackets behind an expression; several parts are one tuple, which begins at `tupleStart`. */
export function readBrackets(
  cursor: Cursor,
  object: Expr,
  { start, tupleStart, part }: { readonly start: number; readonly tupleStart: number; part(cursor: Cursor): Expr },
): Expr {
  expect(cursor, kind.openBracket);
  const parts: Expr[] = [];
  do {
    if (next(cursor) === kind.closeBracket) break;
    parts.push(part(cursor));
  } while (takes(cursor, kind.comma));
  expect(cursor, kind.closeBracket);
  const end = endOf(cursor);
  const [only] = parts;
  if (!only) return fail(cursor);
  const index: Expr =
    parts.length === 1
      ? only
      : { kind: 'list', of: 'tuple', items: parts.map((value) => ({ value, spread: false })), start: tupleStart, end };
  return { kind: 'index', object, index, start, end };
}
