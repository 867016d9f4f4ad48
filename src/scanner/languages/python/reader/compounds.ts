import type { Expr, Handler, Pattern, Stmt } from '../../../ir/nodes.js';
import { readExprList } from './atoms.js';
import { ifChain, type Branch } from '../if-chain.js';
import { readBlock } from './blocks.js';
import { expect, fail, nextKind, tokenStart, accept, type Cursor } from './cursor.js';
import { readExpr, readNamed } from './expressions.js';
import { kind } from './kinds.js';
import { readOneTarget, readTarget } from './targets.js';

/** Parses `if` with all of its `elif` and its `else`. */
export function readIf(cursor: Cursor): Stmt {
  const branches: Branch[] = [];
  let end = 0;
  do {
    const start = tokenStart(cursor);
    cursor.at += 1;
    const test = readNamed(cursor);
    const block = readBlock(cursor);
    end = block.end;
    branches.push({ test, body: block.body, start, end });
  } while (nextKind(cursor) === kind.elif);
  let no: Stmt[] = [];
  if (accept(cursor, kind.else)) ({ body: no, end } = readBlock(cursor));
  const [first, ...others] = branches;
  return ifChain(first ?? { test: fail(cursor), body: [], start: 0, end }, others, no, end);
}

/** Parses the `else` of a loop, which extends its end. */
function readElse(cursor: Cursor, end: number): { readonly body: Stmt[]; readonly end: number } {
  return accept(cursor, kind.else) ? readBlock(cursor) : { body: [], end };
}

/** Parses `while`. */
export function readWhile(cursor: Cursor): Stmt {
  const start = tokenStart(cursor);
  cursor.at += 1;
  const test = readNamed(cursor);
  const block = readBlock(cursor);
  const otherwise = readElse(cursor, block.end);
  return { kind: 'while', init: [], test, body: block.body, else: otherwise.body, start, end: otherwise.end };
}

/** Parses `for`, after an optional `async`. */
export function readFor(cursor: Cursor, start: number): Stmt {
  expect(cursor, kind.for);
  const target = readTarget(cursor);
  expect(cursor, kind.in);
  const iterable = readExprList(cursor);
  const { body, end } = readBlock(cursor);
  const otherwise = readElse(cursor, end);
  return { kind: 'for', target, iterable, over: 'values', body, else: otherwise.body, start, end: otherwise.end };
}

/** Parses `try`; `except*` counts as `except`. */
export function readTry(cursor: Cursor): Stmt {
  const start = tokenStart(cursor);
  cursor.at += 1;
  const block = readBlock(cursor);
  let { end } = block;
  const handlers: Handler[] = [];
  while (nextKind(cursor) === kind.except) {
    const handler = readHandler(cursor);
    handlers.push(handler);
    ({ end } = handler);
  }
  const otherwise = readElse(cursor, end);
  ({ end } = otherwise);
  let last: Stmt[] = [];
  const hasLast = accept(cursor, kind.finally);
  if (hasLast) ({ body: last, end } = readBlock(cursor));
  // A `try` needs a handler or a `finally`.
  if (handlers.length === 0 && !hasLast) fail(cursor);
  return { kind: 'try', body: block.body, handlers, else: otherwise.body, finally: last, start, end };
}

/** Parses one `except` clause. */
function readHandler(cursor: Cursor): Handler {
  const start = tokenStart(cursor);
  cursor.at += 1;
  accept(cursor, kind.star);
  const type = nextKind(cursor) === kind.colon ? undefined : readExpr(cursor);
  const param = type && accept(cursor, kind.as) ? readOneTarget(cursor) : undefined;
  const { body, end } = readBlock(cursor);
  return { param, type, body, start, end };
}

/** An item of `with`. */
interface WithItem {
  readonly context: Expr;
  readonly target?: Pattern;
}

/** Parses `with`, after an optional `async`. */
export function readWith(cursor: Cursor, start: number): Stmt {
  expect(cursor, kind.with);
  const items: WithItem[] = [];
  // Parentheses may enclose the items (Python 3.9) or a single expression; only looking ahead can decide.
  const isBracketed = holdsItems(cursor);
  if (isBracketed) cursor.at += 1;
  do {
    if (isBracketed && nextKind(cursor) === kind.closeParen) break;
    const context = readExpr(cursor);
    items.push(accept(cursor, kind.as) ? { context, target: readOneTarget(cursor) } : { context });
  } while (accept(cursor, kind.comma));
  if (isBracketed) expect(cursor, kind.closeParen);
  const { body, end } = readBlock(cursor);
  return { kind: 'with', items, body, start, end };
}

/** Whether the next parenthesis encloses the items of `with` and is not part of an expression. */
function holdsItems(cursor: Cursor): boolean {
  if (nextKind(cursor) !== kind.openParen) return false;
  let depth = 0;
  let isSeveral = false;
  for (let at = cursor.at; at < cursor.kinds.length; at += 1) {
    const what = cursor.kinds[at];
    if (what === kind.openParen || what === kind.openBracket || what === kind.openBrace) depth += 1;
    else if (what === kind.closeParen || what === kind.closeBracket || what === kind.closeBrace) depth -= 1;
    else if (depth === 1 && (what === kind.comma || what === kind.as)) isSeveral = true;
    if (depth === 0) return isSeveral && cursor.kinds[at + 1] === kind.colon;
  }
  return false;
}
