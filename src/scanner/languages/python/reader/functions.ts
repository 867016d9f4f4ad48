import type { Expr, Param, Stmt } from '../../../ir/nodes.js';
import { docstringOf, membersOf } from '../members.js';
import { readBlock } from './blocks.js';
import { endOf, expect, fail, next, startOf, takeName, takes, type Cursor } from './cursor.js';
import { readExpr } from './expressions.js';
import { kind } from './kinds.js';
import { readArgs } from './trailers.js';
import { readType } from './types.js';

/** Reads parameters up to a token that is none; those of a lambda have no types. */
export function readParams(cursor: Cursor, close: number, hasTypes: boolean): Param[] {
  const params: Param[] = [];
  let keywordOnly = false;
  while (next(cursor) !== close && !cursor.isBroken) {
    const start = startOf(cursor);
    if (takes(cursor, kind.slash)) {
      if (params.length === 0) fail(cursor);
    } else if (takes(cursor, kind.star)) {
      if (next(cursor) === kind.name) params.push(readParam(cursor, start, 'list', false, hasTypes));
      keywordOnly = true;
    } else if (takes(cursor, kind.power)) params.push(readParam(cursor, start, 'dict', false, hasTypes));
    else params.push(readParam(cursor, start, undefined, keywordOnly, hasTypes));
    if (!takes(cursor, kind.comma)) break;
  }
  return params;
}

function readParam(cursor: Cursor, start: number, rest: Param['rest'], keywordOnly: boolean, hasTypes: boolean): Param {
  const from = startOf(cursor);
  const target = { kind: 'name' as const, name: takeName(cursor), start: from, end: endOf(cursor) };
  const annotation = hasTypes && takes(cursor, kind.colon) ? readType(cursor) : undefined;
  const value = !rest && takes(cursor, kind.assign) ? readExpr(cursor) : undefined;
  return {
    target,
    rest,
    annotation,
    default: value,
    keywordOnly: keywordOnly ? true : undefined,
    start,
    end: endOf(cursor),
  };
}

/** Reads decorators and the function or class that they are on. */
export function readDecorated(cursor: Cursor): Stmt {
  const start = startOf(cursor);
  const decorators: Expr[] = [];
  while (takes(cursor, kind.at)) {
    decorators.push(readExpr(cursor));
    expect(cursor, kind.newline);
  }
  const made = next(cursor) === kind.class ? readClass(cursor, decorators) : readFunction(cursor, decorators, start);
  return { ...made, start };
}

/** Reads `def` with or without `async`. */
export function readFunction(cursor: Cursor, decorators: readonly Expr[], decoratedStart: number): Stmt {
  const start = startOf(cursor);
  const isAsync = takes(cursor, kind.async);
  expect(cursor, kind.def);
  const name = takeName(cursor);
  passTypeParams(cursor);
  expect(cursor, kind.openParen);
  const params = readParams(cursor, kind.closeParen, true);
  expect(cursor, kind.closeParen);
  const returns = takes(cursor, kind.arrow) ? readType(cursor) : undefined;
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

/** Passes `[T: Bound]` by: nothing that is looked at hangs on it. */
function passTypeParams(cursor: Cursor): void {
  if (!takes(cursor, kind.openBracket)) return;
  do {
    if (next(cursor) === kind.star || next(cursor) === kind.power) cursor.at += 1;
    takeName(cursor);
    if (takes(cursor, kind.colon)) readExpr(cursor);
    if (takes(cursor, kind.assign)) readExpr(cursor);
  } while (takes(cursor, kind.comma) && next(cursor) !== kind.closeBracket);
  expect(cursor, kind.closeBracket);
}

/** Reads a class. */
export function readClass(cursor: Cursor, decorators: readonly Expr[]): Stmt {
  const start = startOf(cursor);
  expect(cursor, kind.class);
  const name = takeName(cursor);
  passTypeParams(cursor);
  const bases = next(cursor) === kind.openParen ? readArgs(cursor) : [];
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
