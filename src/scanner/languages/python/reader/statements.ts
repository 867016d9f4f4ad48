import type { Expr, Stmt } from '../../../ir/nodes.js';
import { readExprList, readYield } from './atoms.js';
import { readFor, readIf, readTry, readWhile, readWith } from './compounds.js';
import {
  afterNext,
  endOf,
  expect,
  fail,
  nested,
  next,
  startOf,
  takeName,
  takes,
  textOf,
  type Cursor,
} from './cursor.js';
import { readExpr } from './expressions.js';
import { readClass, readDecorated, readFunction } from './functions.js';
import { readImport, readImportFrom } from './imports.js';
import { kind } from './kinds.js';
import { beginsMatch, readMatch } from './matches.js';
import { toTarget } from './targets.js';
import { readType } from './types.js';

/** Reads one statement, or the simple ones of one line, into a body. */
export function readStatement(cursor: Cursor, body: Stmt[]): void {
  switch (next(cursor)) {
    case kind.if:
      body.push(readIf(cursor));
      return;
    case kind.for:
      body.push(readFor(cursor, startOf(cursor)));
      return;
    case kind.while:
      body.push(readWhile(cursor));
      return;
    case kind.try:
      body.push(readTry(cursor));
      return;
    case kind.with:
      body.push(readWith(cursor, startOf(cursor)));
      return;
    case kind.def:
      body.push(readFunction(cursor, [], startOf(cursor)));
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
  const start = startOf(cursor);
  if (afterNext(cursor) === kind.def) return readFunction(cursor, [], start);
  cursor.at += 1;
  return next(cursor) === kind.with ? readWith(cursor, start) : readFor(cursor, start);
}

/** Reads the statements of one line. */
export function readSimple(cursor: Cursor, body: Stmt[]): void {
  do {
    if (next(cursor) === kind.newline) break;
    readOne(cursor, body);
  } while (takes(cursor, kind.semicolon));
  expect(cursor, kind.newline);
}

const endsStatement = (cursor: Cursor): boolean => next(cursor) === kind.newline || next(cursor) === kind.semicolon;

function readOne(cursor: Cursor, body: Stmt[]): void {
  const start = startOf(cursor);
  const what = next(cursor);
  switch (what) {
    case kind.return: {
      cursor.at += 1;
      const value = endsStatement(cursor) ? undefined : readExprList(cursor);
      body.push({ kind: 'return', value, start, end: endOf(cursor) });
      return;
    }
    case kind.raise: {
      cursor.at += 1;
      const value = endsStatement(cursor) ? undefined : readExpr(cursor);
      if (value && takes(cursor, kind.from)) readExpr(cursor);
      body.push({ kind: 'throw', value, start, end: endOf(cursor) });
      return;
    }
    case kind.pass:
      cursor.at += 1;
      return;
    case kind.break:
    case kind.continue:
      cursor.at += 1;
      body.push({ kind: what === kind.break ? 'break' : 'continue', start, end: endOf(cursor) });
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
      if (takes(cursor, kind.comma)) readExpr(cursor);
      body.push({ kind: 'assert', test, start, end: endOf(cursor) });
      return;
    }
    case kind.global:
    case kind.nonlocal: {
      cursor.at += 1;
      const names = [takeName(cursor)];
      while (takes(cursor, kind.comma)) names.push(takeName(cursor));
      const scope = what === kind.global ? 'global' : 'nonlocal';
      body.push({ kind: 'scope', scope, names, start, end: endOf(cursor) });
      return;
    }
    case kind.del: {
      cursor.at += 1;
      const parts = [readExprList(cursor)];
      const end = endOf(cursor);
      body.push({ kind: 'expr', value: { kind: 'opaque', what: 'delete_statement', parts, start, end }, start, end });
      return;
    }
    default:
      readExprStatement(cursor, body, start);
  }
}

/** Words that begin statements of their own in some versions of Python. */
const old = new Set(['print', 'exec']);

/** Whether a line begins as `print x` of old does. */
const isOld = (cursor: Cursor): boolean =>
  next(cursor) === kind.name &&
  old.has(textOf(cursor)) &&
  afterNext(cursor) !== kind.openParen &&
  !plainAfter.has(afterNext(cursor));

/** Behind these a word is a name like any other. */
const plainAfter = new Set<number>([kind.assign, kind.dot, kind.colon, kind.comma, kind.augment, kind.newline]);

/** Reads `type A = …` as an assignment. */
function readAlias(cursor: Cursor): Stmt {
  const start = startOf(cursor);
  cursor.at += 1;
  const left = readType(cursor);
  const target = left.kind === 'name' || left.kind === 'index' ? left : fail(cursor);
  expect(cursor, kind.assign);
  const value = readType(cursor);
  return { kind: 'assign', target, value, start, end: endOf(cursor) };
}

/** Reads an expression, or an assignment. */
function readExprStatement(cursor: Cursor, body: Stmt[], start: number): void {
  if (isOld(cursor)) fail(cursor);
  if (next(cursor) === kind.name && afterNext(cursor) === kind.name && textOf(cursor) === 'type') {
    body.push(readAlias(cursor));
    return;
  }
  const isBracketed = next(cursor) === kind.openParen;
  const first = next(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor);
  switch (next(cursor)) {
    case kind.assign: {
      const target = toTarget(cursor, first, isBracketed);
      body.push({ kind: 'assign', target, value: readAssigned(cursor), start, end: endOf(cursor) });
      return;
    }
    case kind.augment: {
      const op = textOf(cursor).slice(0, -1);
      cursor.at += 1;
      const target = toTarget(cursor, first, isBracketed);
      const value = next(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor);
      body.push({ kind: 'assign', target, op, value, start, end: endOf(cursor) });
      return;
    }
    case kind.colon: {
      cursor.at += 1;
      const target = toTarget(cursor, first, isBracketed);
      if (target.kind === 'list-pattern') fail(cursor);
      const annotation = readType(cursor);
      const value = next(cursor) === kind.assign ? readAssigned(cursor) : undefined;
      body.push({ kind: 'assign', target, value, annotation, start, end: endOf(cursor) });
      return;
    }
    default:
      addExpr(cursor, body, first, start, isBracketed);
  }
}

/** Several expressions side by side are each a statement of their own; those in brackets are one. */
function addExpr(cursor: Cursor, body: Stmt[], value: Expr, start: number, isBracketed: boolean): void {
  const end = endOf(cursor);
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

/** Reads `= value`, and `= target = value` as an assignment whose value is another. */
function readAssigned(cursor: Cursor): Expr {
  expect(cursor, kind.assign);
  const start = startOf(cursor);
  const isBracketed = next(cursor) === kind.openParen;
  const value = next(cursor) === kind.yield ? readYield(cursor) : readExprList(cursor);
  if (next(cursor) !== kind.assign) return value;
  const target = toTarget(cursor, value, isBracketed);
  return { kind: 'assign', target, value: nested(cursor, readAssigned), start, end: endOf(cursor) };
}
