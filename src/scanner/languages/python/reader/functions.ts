import type { Expr, Param, Stmt } from '../../../ir/nodes.js';
import { docstringOf, membersOf } from '../members.js';
import { readBlock } from './blocks.js';
import { previousEnd, expect, fail, nextKind, tokenStart, takeName, accept, type Cursor } from './cursor.js';
import { readExpr } from './expressions.js';
import { kind } from './kinds.js';
import { readArgs } from './trailers.js';
import { readType } from './types.js';

/** Parses parameters up to the closing token; lambda parameters have no types. */
export function readParams(cursor: Cursor, close: number, hasTypes: boolean): Param[] {
  const params: Param[] = [];
  let keywordOnly = false;
  while (nextKind(cursor) !== close && !cursor.isBroken) {
    const start = tokenStart(cursor);
    if (accept(cursor, kind.slash)) {
      // A slash as the first parameter is a syntax error.
      if (params.length === 0) fail(cursor);
    } else if (accept(cursor, kind.star)) {
      if (nextKind(cursor) === kind.name) params.push(readParam(cursor, start, 'list', false, hasTypes));
      keywordOnly = true;
    } else if (accept(cursor, kind.power)) params.push(readParam(cursor, start, 'dict', false, hasTypes));
    else params.push(readParam(cursor, start, undefined, keywordOnly, hasTypes));
    if (!accept(cursor, kind.comma)) break;
  }
  return params;
}

/** Parses one parameter with annotation and default. */
function readParam(cursor: Cursor, start: number, rest: Param['rest'], keywordOnly: boolean, hasTypes: boolean): Param {
  const from = tokenStart(cursor);
  const target = { kind: 'name' as const, name: takeName(cursor), start: from, end: previousEnd(cursor) };
  const annotation = hasTypes && accept(cursor, kind.colon) ? readType(cursor) : undefined;
  // `*args` and `**kwargs` have no defaults.
  const value = !rest && accept(cursor, kind.assign) ? readExpr(cursor) : undefined;
  return {
    target,
    rest,
    annotation,
    default: value,
    keywordOnly: keywordOnly ? true : undefined,
    start,
    end: previousEnd(cursor),
  };
}

/** Parses decorators and the decorated function or class. */
export function readDecorated(cursor: Cursor): Stmt {
  const start = tokenStart(cursor);
  const decorators: Expr[] = [];
  while (accept(cursor, kind.at)) {
    decorators.push(readExpr(cursor));
    expect(cursor, kind.newline);
  }
  const made =
    nextKind(cursor) === kind.class ? readClass(cursor, decorators) : readFunction(cursor, decorators, start);
  return { ...made, start };
}

/** Parses `def` with an optional `async`. */
export function readFunction(cursor: Cursor, decorators: readonly Expr[], decoratedStart: number): Stmt {
  const start = tokenStart(cursor);
  const isAsync = accept(cursor, kind.async);
  expect(cursor, kind.def);
  const name = takeName(cursor);
  passTypeParams(cursor);
  expect(cursor, kind.openParen);
  const params = readParams(cursor, kind.closeParen, true);
  expect(cursor, kind.closeParen);
  const returns = accept(cursor, kind.arrow) ? readType(cursor) : undefined;
  // Saved, because a nested function has its own flag.
  const outer = cursor.sawYield;
  cursor.sawYield = false;
  const { body, end } = readBlock(cursor);
  const isGenerator = cursor.sawYield;
  cursor.sawYield = outer;
  const docstring = docstringOf(body);
  const fn = {
    name,
    params,
    body,
    isAsync,
    isGenerator,
    isArrow: false,
    decorators,
    docstring,
    returns,
    decoratedStart,
    start,
    end,
  };
  return { kind: 'function', fn, start, end };
}

/** Skips type parameters `[T: Bound]`, which no analysis uses. */
function passTypeParams(cursor: Cursor): void {
  if (!accept(cursor, kind.openBracket)) return;
  do {
    if (nextKind(cursor) === kind.star || nextKind(cursor) === kind.power) cursor.at += 1;
    takeName(cursor);
    if (accept(cursor, kind.colon)) readExpr(cursor);
    if (accept(cursor, kind.assign)) readExpr(cursor);
  } while (accept(cursor, kind.comma) && nextKind(cursor) !== kind.closeBracket);
  expect(cursor, kind.closeBracket);
}

/** Parses a class. */
export function readClass(cursor: Cursor, decorators: readonly Expr[]): Stmt {
  const start = tokenStart(cursor);
  expect(cursor, kind.class);
  const name = takeName(cursor);
  passTypeParams(cursor);
  const bases = nextKind(cursor) === kind.openParen ? readArgs(cursor) : [];
  const { body: stmts, end } = readBlock(cursor);
  const docstring = docstringOf(stmts);
  const cls = {
    name,
    bases,
    ...membersOf(stmts),
    decorators,
    docstring,
    start,
    end,
  };
  return { kind: 'class', cls, start, end };
}
