import type { Expr, Stmt } from '../../../ir/nodes.js';
import { readExprList, readYield } from './atoms.js';
import { readFor, readIf, readTry, readWhile, readWith } from './compounds.js';
import {
  kindAfterNext,
  previousEnd,
  expect,
  fail,
  withNesting,
  nextKind,
  tokenStart,
  takeName,
  accept,
  tokenText,
  type Cursor,
} from './cursor.js';
import { readExpr } from './expressions.js';
import { readClass, readDecorated, readFunction } from './functions.js';
import { readImport, readImportFrom } from './imports.js';
import { kind } from './kinds.js';
import { beginsMatch, readMatch } from './matches.js';
import { toTarget } from './targets.js';
import { readType } from './types.js';

/** Parses one compound statement, or the simple statements of one line, into a body. */
export function readStatement(cursor: Cursor, body: Stmt[]): void {
  switch (nextKind(cursor)) {
    case kind.if:
      body.push(readIf(cursor));
      return;
    case kind.for:
      body.push(readFor(cursor, tokenStart(cursor)));
      return;
    case kind.while:
      body.push(readWhile(cursor));
      return;
    case kind.try:
      body.push(readTry(cursor));
      return;
    case kind.with:
      body.push(readWith(cursor, tokenStart(cursor)));
      return;
    case kind.def:
      body.push(readFunction(cursor, [], tokenStart(cursor)));
      return;
    case kind.class:
      body.push(readClass(cursor, []));
      return;
    case kind.at:
      body.push(readDecorated(cursor));
      return;
    case kind.async:
      body.push(readAsync(cursor));
      return;
    default:
      if (beginsMatch(cursor)) body.push(readMatch(cursor));
      else readSimple(cursor, body);
  }
}

function readAsync(cursor: Cursor): Stmt {
  const start = tokenStart(cursor);
  if (kindAfterNext(cursor) === kind.def) return readFunction(cursor, [], start);
  cursor.at += 1;
  return nextKind(cursor) === kind.with ? readWith(cursor, start) : readFor(cursor, start);
}

/** Parses the simple statements of one line. */
export function readSimple(cursor: Cursor, body: Stmt[]): void {
  do {
    if (nextKind(cursor) === kind.newline) break;
    readSimpleStatement(cursor, body);
  } while (accept(cursor, kind.semicolon));
  expect(cursor, kind.newline);
}

const endsStatement = (cursor: Cursor): boolean =>
  nextKind(cursor) === kind.newline || nextKind(cursor) === kind.semicolon;

function readSimpleStatement(cursor: Cursor, body: Stmt[]): void {
  const start = tokenStart(cursor);
  const what = nextKind(cursor);
  switch (what) {
    case kind.return: {
      cursor.at += 1;
      const value = endsStatement(cursor) ? undefined : readExprList(cursor);
      body.push({ kind: 'return', value, start, end: previousEnd(cursor) });
      return;
    }
    case kind.raise: {
      cursor.at += 1;
      const value = endsStatement(cursor) ? undefined : readExpr(cursor);
      if (value && accept(cursor, kind.from)) readExpr(cursor);
      body.push({ kind: 'throw', value, start, end: previousEnd(cursor) });
      return;
    }
    case kind.pass:
      cursor.at += 1;
      return;
    case kind.break:
    case kind.continue:
      cursor.at += 1;
      body.push({ kind: what === kind.break ? 'break' : 'continue', start, end: previousEnd(cursor) });
      return;
    case kind.import:
      readImport(cursor, body);
      return;
    case kind.from:
      readImportFrom(cursor, body);
      return;
    case kind.assert: {
      cursor.at += 1;
      const test = readExpr(cursor);
      if (accept(cursor, kind.comma)) readExpr(cursor);
      body.push({ kind: 'assert', test, start, end: previousEnd(cursor) });
      return;
    }
    case kind.global:
    case kind.nonlocal: {
      cursor.at += 1;
      const names = [takeName(cursor)];
      while (accept(cursor, kind.comma)) names.push(takeName(cursor));
      const scope = what === kind.global ? 'global' : 'nonlocal';
      body.push({ kind: 'scope', scope, names, start, end: previousEnd(cursor) });
      return;
    }
    case kind.del: {
      cursor.at += 1;
      const parts = [readExprList(cursor)];
      const end = previousEnd(cursor);
      body.push({ kind: 'expr', value: { kind: 'opaque', what: 'delete_statement', parts, start, end }, start, end });
      return;
    }
    default:
      readExprStatement(cursor, body, start);
  }
}

/** Statements of Python 2 that are functions in Python 3. */
const legacyStatements = new Set(['print', 'exec']);

/** Whether a line starts with a Python 2 statement such as `print x`. */
const isLegacyStatement = (cursor: Cursor): boolean =>
  nextKind(cursor) === kind.name &&
  legacyStatements.has(tokenText(cursor)) &&
  kindAfterNext(cursor) !== kind.openParen &&
  !nameFollowers.has(kindAfterNext(cursor));

/** Tokens after which `print` and `exec` are ordinary names. */
const nameFollowers = new Set<number>([kind.assign, kind.dot, kind.colon, kind.comma, kind.augment, kind.newline]);

/** Parses `type A = …` as an assignment. */
function readAlias(cursor: Cursor): Stmt {
  const start = tokenStart(cursor);
  cursor.at += 1;
  const left = readType(cursor);
  const target = left.kind === 'name' || left.kind === 'index' ? left : fail(cursor);
  expect(cursor, kind.assign);
  const value = readType(cursor);
  return { kind: 'assign', target, value, start, end: previousEnd(cursor) };
}

/** Parses an expression statement or an assignment. */
function readExprStatement(cursor: Cursor, body: Stmt[], start: number): void {
  if (isLegacyStatement(cursor)) fail(cursor);
  if (nextKind(cursor) === kind.name && kindAfterNext(cursor) === kind.name && tokenText(cursor) === 'type') {
    body.push(readAlias(cursor));
    return;
  }
  const isBracketed = nextKind(cursor) === kind.openParen;
  const first = nextKind(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor);
  switch (nextKind(cursor)) {
    case kind.assign: {
      const target = toTarget(cursor, first, isBracketed);
      body.push({ kind: 'assign', target, value: readAssigned(cursor), start, end: previousEnd(cursor) });
      return;
    }
    case kind.augment: {
      const op = tokenText(cursor).slice(0, -1);
      cursor.at += 1;
      const target = toTarget(cursor, first, isBracketed);
      const value = nextKind(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor);
      body.push({ kind: 'assign', target, op, value, start, end: previousEnd(cursor) });
      return;
    }
    case kind.colon: {
      cursor.at += 1;
      const target = toTarget(cursor, first, isBracketed);
      if (target.kind === 'list-pattern') fail(cursor);
      const annotation = readType(cursor);
      const value = nextKind(cursor) === kind.assign ? readAssigned(cursor) : undefined;
      body.push({ kind: 'assign', target, value, annotation, start, end: previousEnd(cursor) });
      return;
    }
    default:
      addExpr(cursor, body, first, start, isBracketed);
  }
}

/** An unparenthesised tuple becomes one statement per item, as in the tree-sitter conversion. */
function addExpr(cursor: Cursor, body: Stmt[], value: Expr, start: number, isBracketed: boolean): void {
  const end = previousEnd(cursor);
  const isBare =
    value.kind === 'list' && value.of === 'tuple' && value.start === start && value.end === end && !isBracketed;
  if (!isBare) body.push({ kind: 'expr', value, start, end });
  else if (value.items.length === 1 && value.items[0])
    body.push({ kind: 'expr', value: value.items[0].value, start, end });
  else {
    for (const item of value.items) {
      if (item.spread) fail(cursor);
      body.push({ kind: 'expr', value: item.value, start: item.value.start, end: item.value.end });
    }
  }
}

/** Parses `= value`; `= target = value` becomes a nested assignment. */
function readAssigned(cursor: Cursor): Expr {
  expect(cursor, kind.assign);
  const start = tokenStart(cursor);
  const isBracketed = nextKind(cursor) === kind.openParen;
  const value = nextKind(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor);
  if (nextKind(cursor) !== kind.assign) return value;
  const target = toTarget(cursor, value, isBracketed);
  return { kind: 'assign', target, value: withNesting(cursor, readAssigned), start, end: previousEnd(cursor) };
}
