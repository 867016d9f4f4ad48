import type { Clause, Comprehension, Entry, Expr, Item } from '../../../ir/nodes.js';
import { endOf, expect, fail, next, startOf, takes, textOf, type Cursor } from './cursor.js';
import { readExpr, readNamed, readOr } from './expressions.js';
import { kind } from './kinds.js';
import { readTarget } from './targets.js';
import { readStrings } from './texts.js';

/** Reads a name, a literal, or what stands in brackets. */
export function readAtom(cursor: Cursor): Expr {
  const start = startOf(cursor);
  const what = next(cursor);
  switch (what) {
    case kind.name: {
      const name = textOf(cursor);
      cursor.at += 1;
      return { kind: 'name', name, start, end: endOf(cursor) };
    }
    case kind.string:
    case kind.openText:
      return readStrings(cursor);
    case kind.number: {
      const value = Number(textOf(cursor).replaceAll('_', ''));
      cursor.at += 1;
      return { kind: 'literal', value, start, end: endOf(cursor) };
    }
    case kind.true:
    case kind.false:
    case kind.none:
      cursor.at += 1;
      return { kind: 'literal', value: what === kind.none ? null : what === kind.true, start, end: endOf(cursor) };
    case kind.openParen:
      return readParens(cursor, start);
    case kind.openBracket:
      return readList(cursor, start);
    case kind.openBrace:
      return readBraces(cursor, start);
    case kind.ellipsis:
      cursor.at += 1;
      return { kind: 'opaque', what: 'ellipsis', parts: [], start, end: endOf(cursor) };
    default:
      return fail(cursor);
  }
}

/** One item of a list, tuple or set. */
function readItem(cursor: Cursor): Item {
  return takes(cursor, kind.star)
    ? { value: readExpr(cursor), spread: true }
    : { value: readNamed(cursor), spread: false };
}

/** The items up to a closing bracket, the first of which was read already. */
function restOfItems(cursor: Cursor, first: Item, close: number): Item[] {
  const items = [first];
  while (takes(cursor, kind.comma) && next(cursor) !== close) items.push(readItem(cursor));
  expect(cursor, close);
  return items;
}

const beginsClause = (cursor: Cursor): boolean => next(cursor) === kind.for || next(cursor) === kind.async;

function comprehension(
  cursor: Cursor,
  of: Comprehension['of'],
  element: Expr,
  start: number,
  close: number,
  key?: Expr,
): Expr {
  const clauses = readClauses(cursor);
  expect(cursor, close);
  return { kind: 'comprehension', of, clauses, key, element, start, end: endOf(cursor) };
}

/** A tuple, a generator, or what the brackets only hold together. */
function readParens(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  if (takes(cursor, kind.closeParen)) return { kind: 'list', of: 'tuple', items: [], start, end: endOf(cursor) };
  if (next(cursor) === kind.yield) {
    const made = readYield(cursor);
    expect(cursor, kind.closeParen);
    return made;
  }
  const first = readItem(cursor);
  if (beginsClause(cursor) && !first.spread)
    return comprehension(cursor, 'generator', first.value, start, kind.closeParen);
  if (!first.spread && takes(cursor, kind.closeParen)) return first.value;
  if (next(cursor) !== kind.comma) return fail(cursor);
  const items = restOfItems(cursor, first, kind.closeParen);
  return { kind: 'list', of: 'tuple', items, start, end: endOf(cursor) };
}

function readList(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  if (takes(cursor, kind.closeBracket)) return { kind: 'list', of: 'list', items: [], start, end: endOf(cursor) };
  const first = readItem(cursor);
  if (beginsClause(cursor) && !first.spread)
    return comprehension(cursor, 'list', first.value, start, kind.closeBracket);
  const items = restOfItems(cursor, first, kind.closeBracket);
  return { kind: 'list', of: 'list', items, start, end: endOf(cursor) };
}

function readEntry(cursor: Cursor): Entry {
  if (takes(cursor, kind.power)) return { value: readExpr(cursor) };
  const key = readExpr(cursor);
  expect(cursor, kind.colon);
  return { key, value: readExpr(cursor) };
}

/** A dictionary or a set. */
function readBraces(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  if (takes(cursor, kind.closeBrace)) return { kind: 'dict', entries: [], start, end: endOf(cursor) };
  if (next(cursor) === kind.star || next(cursor) === kind.power) {
    return next(cursor) === kind.star
      ? readSet(cursor, readItem(cursor), start)
      : readDict(cursor, readEntry(cursor), start);
  }
  const first = readNamed(cursor);
  if (!takes(cursor, kind.colon)) {
    if (beginsClause(cursor)) return comprehension(cursor, 'set', first, start, kind.closeBrace);
    return readSet(cursor, { value: first, spread: false }, start);
  }
  const value = readExpr(cursor);
  if (beginsClause(cursor)) return comprehension(cursor, 'dict', value, start, kind.closeBrace, first);
  return readDict(cursor, { key: first, value }, start);
}

function readSet(cursor: Cursor, first: Item, start: number): Expr {
  const items = restOfItems(cursor, first, kind.closeBrace);
  return { kind: 'list', of: 'set', items, start, end: endOf(cursor) };
}

function readDict(cursor: Cursor, first: Entry, start: number): Expr {
  const entries = [first];
  while (takes(cursor, kind.comma) && next(cursor) !== kind.closeBrace) entries.push(readEntry(cursor));
  expect(cursor, kind.closeBrace);
  return { kind: 'dict', entries, start, end: endOf(cursor) };
}

/** Reads the `for … in … if …` of a comprehension. */
export function readClauses(cursor: Cursor): Clause[] {
  const clauses: Clause[] = [];
  while (beginsClause(cursor)) {
    takes(cursor, kind.async);
    expect(cursor, kind.for);
    const target = readTarget(cursor);
    expect(cursor, kind.in);
    const iterable = readOr(cursor);
    const conditions: Expr[] = [];
    while (takes(cursor, kind.if)) conditions.push(readOr(cursor));
    clauses.push({ target, iterable, conditions });
  }
  return clauses;
}

/** Reads `yield`, with or without a value. */
export function readYield(cursor: Cursor): Expr {
  const start = startOf(cursor);
  expect(cursor, kind.yield);
  cursor.sawYield = true;
  if (takes(cursor, kind.from)) {
    const value = readExpr(cursor);
    return { kind: 'yield', value, delegate: true, start, end: endOf(cursor) };
  }
  const what = next(cursor);
  const isBare =
    what === kind.newline || what === kind.closeParen || what === kind.semicolon || what === kind.closePart;
  if (isBare || what === kind.assign) return { kind: 'yield', delegate: false, start, end: endOf(cursor) };
  const value = readExprList(cursor);
  return { kind: 'yield', value, delegate: false, start, end: endOf(cursor) };
}

const endsList = (what: number): boolean =>
  what === kind.newline ||
  what === kind.assign ||
  what === kind.semicolon ||
  what === kind.colon ||
  what === kind.closeParen ||
  what === kind.closePart;

/** Reads an expression, or a tuple without brackets. */
export function readExprList(cursor: Cursor): Expr {
  const start = startOf(cursor);
  const first: Item = takes(cursor, kind.star)
    ? { value: readExpr(cursor), spread: true }
    : { value: readExpr(cursor), spread: false };
  if (next(cursor) !== kind.comma) return first.spread ? fail(cursor) : first.value;
  const items = [first];
  while (takes(cursor, kind.comma) && !endsList(next(cursor))) {
    items.push(
      takes(cursor, kind.star) ? { value: readExpr(cursor), spread: true } : { value: readExpr(cursor), spread: false },
    );
  }
  return { kind: 'list', of: 'tuple', items, start, end: endOf(cursor) };
}
