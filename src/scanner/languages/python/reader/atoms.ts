import type { Clause, Comprehension, DictEntry, Expr, ListItem } from '../../../ir/nodes.js';
import { previousEnd, expect, fail, nextKind, tokenStart, accept, tokenText, type Cursor } from './cursor.js';
import { readExpr, readNamed, readOr } from './expressions.js';
import { kind } from './kinds.js';
import { readTarget } from './targets.js';
import { readStrings } from './texts.js';

/** Parses a name, a literal or a bracketed expression. */
export function readAtom(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  const what = nextKind(cursor);
  switch (what) {
    case kind.name: {
      const name = tokenText(cursor);
      cursor.at += 1;
      return { kind: 'name', name, start, end: previousEnd(cursor) };
    }
    case kind.string:
    case kind.openText:
      return readStrings(cursor);
    case kind.number: {
      const value = Number(tokenText(cursor).replaceAll('_', ''));
      cursor.at += 1;
      return { kind: 'literal', value, start, end: previousEnd(cursor) };
    }
    case kind.true:
    case kind.false:
    case kind.none:
      cursor.at += 1;
      return {
        kind: 'literal',
        value: what === kind.none ? null : what === kind.true,
        start,
        end: previousEnd(cursor),
      };
    case kind.openParen:
      return readParens(cursor, start);
    case kind.openBracket:
      return readList(cursor, start);
    case kind.openBrace:
      return readBraces(cursor, start);
    case kind.ellipsis:
      cursor.at += 1;
      return { kind: 'opaque', what: 'ellipsis', parts: [], start, end: previousEnd(cursor) };
    default:
      return fail(cursor);
  }
}

/** Parses one item of a list, tuple or set. */
function readItem(cursor: Cursor): ListItem {
  return accept(cursor, kind.star)
    ? { value: readExpr(cursor), spread: true }
    : { value: readNamed(cursor), spread: false };
}

/** Parses the remaining items up to the closing bracket. */
function readRemainingItems(cursor: Cursor, first: ListItem, close: number): ListItem[] {
  const items = [first];
  while (accept(cursor, kind.comma) && nextKind(cursor) !== close) items.push(readItem(cursor));
  expect(cursor, close);
  return items;
}

/** Whether a comprehension follows the first item. */
const beginsClause = (cursor: Cursor): boolean => nextKind(cursor) === kind.for || nextKind(cursor) === kind.async;

/** Parses the clauses of a comprehension after its element. */
function readComprehension(
  cursor: Cursor,
  of: Comprehension['of'],
  element: Expr,
  start: number,
  close: number,
  key?: Expr,
): Expr {
  const clauses = readClauses(cursor);
  expect(cursor, close);
  return { kind: 'comprehension', of, clauses, key, element, start, end: previousEnd(cursor) };
}

/** Parses a tuple, a generator or a parenthesised expression. */
function readParens(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  if (accept(cursor, kind.closeParen)) return { kind: 'list', of: 'tuple', items: [], start, end: previousEnd(cursor) };
  if (nextKind(cursor) === kind.yield) {
    const made = readYield(cursor);
    expect(cursor, kind.closeParen);
    return made;
  }
  const first = readItem(cursor);
  if (beginsClause(cursor) && !first.spread)
    return readComprehension(cursor, 'generator', first.value, start, kind.closeParen);
  // Parentheses around one expression only group it.
  if (!first.spread && accept(cursor, kind.closeParen)) return first.value;
  // Anything else is no valid tuple; the recovering parser takes over.
  if (nextKind(cursor) !== kind.comma) return fail(cursor);
  const items = readRemainingItems(cursor, first, kind.closeParen);
  return { kind: 'list', of: 'tuple', items, start, end: previousEnd(cursor) };
}

/** Parses a list or a list comprehension. */
function readList(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  if (accept(cursor, kind.closeBracket))
    return { kind: 'list', of: 'list', items: [], start, end: previousEnd(cursor) };
  const first = readItem(cursor);
  if (beginsClause(cursor) && !first.spread)
    return readComprehension(cursor, 'list', first.value, start, kind.closeBracket);
  const items = readRemainingItems(cursor, first, kind.closeBracket);
  return { kind: 'list', of: 'list', items, start, end: previousEnd(cursor) };
}

/** Parses an entry of a dictionary, or a spread. */
function readEntry(cursor: Cursor): DictEntry {
  if (accept(cursor, kind.power)) return { value: readExpr(cursor) };
  const key = readExpr(cursor);
  expect(cursor, kind.colon);
  return { key, value: readExpr(cursor) };
}

/** Parses a dictionary or a set. */
function readBraces(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  if (accept(cursor, kind.closeBrace)) return { kind: 'dict', entries: [], start, end: previousEnd(cursor) };
  // The first token decides: `*` begins a set, `**` a dictionary.
  if (nextKind(cursor) === kind.star || nextKind(cursor) === kind.power) {
    return nextKind(cursor) === kind.star
      ? readSet(cursor, readItem(cursor), start)
      : readDict(cursor, readEntry(cursor), start);
  }
  const first = readNamed(cursor);
  if (!accept(cursor, kind.colon)) {
    if (beginsClause(cursor)) return readComprehension(cursor, 'set', first, start, kind.closeBrace);
    return readSet(cursor, { value: first, spread: false }, start);
  }
  const value = readExpr(cursor);
  if (beginsClause(cursor)) return readComprehension(cursor, 'dict', value, start, kind.closeBrace, first);
  return readDict(cursor, { key: first, value }, start);
}

/** Parses the rest of a set. */
function readSet(cursor: Cursor, first: ListItem, start: number): Expr {
  const items = readRemainingItems(cursor, first, kind.closeBrace);
  return { kind: 'list', of: 'set', items, start, end: previousEnd(cursor) };
}

/** Parses the rest of a dictionary. */
function readDict(cursor: Cursor, first: DictEntry, start: number): Expr {
  const entries = [first];
  while (accept(cursor, kind.comma) && nextKind(cursor) !== kind.closeBrace) entries.push(readEntry(cursor));
  expect(cursor, kind.closeBrace);
  return { kind: 'dict', entries, start, end: previousEnd(cursor) };
}

/** Parses the `for … in … if …` clauses of a comprehension. */
export function readClauses(cursor: Cursor): Clause[] {
  const clauses: Clause[] = [];
  while (beginsClause(cursor)) {
    accept(cursor, kind.async);
    expect(cursor, kind.for);
    const target = readTarget(cursor);
    expect(cursor, kind.in);
    // Without a conditional: `x for x in a if b` would otherwise take the `if` as its own.
    const iterable = readOr(cursor);
    const conditions: Expr[] = [];
    while (accept(cursor, kind.if)) conditions.push(readOr(cursor));
    clauses.push({ target, iterable, conditions });
  }
  return clauses;
}

/** Parses `yield`, with or without a value. */
export function readYield(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  expect(cursor, kind.yield);
  cursor.sawYield = true;
  if (accept(cursor, kind.from)) {
    const value = readExpr(cursor);
    return { kind: 'yield', value, delegate: true, start, end: previousEnd(cursor) };
  }
  const what = nextKind(cursor);
  const isBare =
    what === kind.newline || what === kind.closeParen || what === kind.semicolon || what === kind.closePart;
  if (isBare || what === kind.assign) return { kind: 'yield', delegate: false, start, end: previousEnd(cursor) };
  const value = readExprList(cursor);
  return { kind: 'yield', value, delegate: false, start, end: previousEnd(cursor) };
}

/** Tokens that end an expression list without parentheses. */
const endsList = (what: number): boolean =>
  what === kind.newline ||
  what === kind.assign ||
  what === kind.semicolon ||
  what === kind.colon ||
  what === kind.closeParen ||
  what === kind.closePart;

/** Parses an expression or an unparenthesised tuple. */
export function readExprList(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  const first: ListItem = accept(cursor, kind.star)
    ? { value: readExpr(cursor), spread: true }
    : { value: readExpr(cursor), spread: false };
  if (nextKind(cursor) !== kind.comma) return first.spread ? fail(cursor) : first.value;
  const items = [first];
  while (accept(cursor, kind.comma) && !endsList(nextKind(cursor))) {
    items.push(
      accept(cursor, kind.star)
        ? { value: readExpr(cursor), spread: true }
        : { value: readExpr(cursor), spread: false },
    );
  }
  return { kind: 'list', of: 'tuple', items, start, end: previousEnd(cursor) };
}
