import type { Expr } from '../../../ir/nodes.js';
import { readAtom } from './atoms.js';
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
import { readParams } from './functions.js';
import { kind } from './kinds.js';
import { readTrailers } from './trailers.js';

/** A longer chain of operators is a very deep tree and left to tree-sitter. */
const maxChain = 200;

/** Parses one expression; only `readNamed` accepts `name := value`. */
export const readExpr = (cursor: Cursor): Expr => withNesting(cursor, readConditional);

/** Parses an expression or `name := value`. */
export function readNamed(cursor: Cursor): Expr {
  if (nextKind(cursor) !== kind.name || kindAfterNext(cursor) !== kind.walrus) return readExpr(cursor);
  const start = tokenStart(cursor);
  const target: Expr = { kind: 'name', name: takeName(cursor), start, end: previousEnd(cursor) };
  expect(cursor, kind.walrus);
  const value = readExpr(cursor);
  return { kind: 'assign', target, value, start, end: previousEnd(cursor) };
}

/** Parses `a if b else c` and lambdas, the loosest forms. */
function readConditional(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  if (nextKind(cursor) === kind.lambda) return readLambda(cursor);
  const yes = readOr(cursor);
  if (!accept(cursor, kind.if)) return yes;
  const test = readOr(cursor);
  expect(cursor, kind.else);
  const no = readExpr(cursor);
  return { kind: 'conditional', test, yes, no, start, end: previousEnd(cursor) };
}

/** Parses a lambda as a function that returns its expression. */
function readLambda(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  expect(cursor, kind.lambda);
  const params = readParams(cursor, kind.colon, false);
  expect(cursor, kind.colon);
  const from = tokenStart(cursor);
  const value = readExpr(cursor);
  const end = previousEnd(cursor);
  const fn = {
    params,
    body: [{ kind: 'return' as const, value, start: from, end }],
    isAsync: false,
    isGenerator: false,
    isArrow: true,
    decorators: [],
    decoratedStart: start,
    start,
    end,
  };
  return { kind: 'function', fn, start, end };
}

/** Parses an expression without `if … else`. */
export function readOr(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  let left = readAnd(cursor);
  for (let turns = 0; accept(cursor, kind.or); turns += 1) {
    const right = readAnd(cursor);
    left = { kind: 'logical', op: 'or', left, right, start, end: previousEnd(cursor) };
    if (turns > maxChain) return fail(cursor);
  }
  return left;
}

/** Parses `and`, which binds tighter than `or`. */
function readAnd(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  let left = readNot(cursor);
  for (let turns = 0; accept(cursor, kind.andWord); turns += 1) {
    const right = readNot(cursor);
    left = { kind: 'logical', op: 'and', left, right, start, end: previousEnd(cursor) };
    if (turns > maxChain) return fail(cursor);
  }
  return left;
}

/** Parses `not`, which may repeat. */
function readNot(cursor: Cursor): Expr {
  if (nextKind(cursor) !== kind.not) return readComparison(cursor);
  const start = tokenStart(cursor);
  cursor.at += 1;
  const value = withNesting(cursor, readNot);
  return { kind: 'unary', op: 'not', value, start, end: previousEnd(cursor) };
}

/** Consumes a comparison operator and returns its IR spelling; undefined if there is none. */
function takeComparison(cursor: Cursor): string | undefined {
  const what = nextKind(cursor);
  if (what < kind.less || (what > kind.greater && what < kind.equal)) return undefined;
  switch (what) {
    case kind.less:
    case kind.greater:
    case kind.equal:
    case kind.unequal:
    case kind.lessEqual:
    case kind.greaterEqual:
    case kind.in: {
      const op = tokenText(cursor);
      cursor.at += 1;
      return op;
    }
    case kind.is:
      cursor.at += 1;
      return accept(cursor, kind.not) ? '!=' : '==';
    case kind.not:
      if (kindAfterNext(cursor) !== kind.in) return undefined;
      cursor.at += 2;
      return 'not in';
    default:
      return undefined;
  }
}

/** Parses comparisons; `a < b < c` becomes two, both with the range of the whole. */
function readComparison(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  const first = readBinary(cursor, 0);
  let op = takeComparison(cursor);
  if (op === undefined) return first;
  const ops: string[] = [];
  const operands: Expr[] = [first];
  for (; op !== undefined; op = takeComparison(cursor)) {
    ops.push(op);
    operands.push(readBinary(cursor, 0));
  }
  const end = previousEnd(cursor);
  let made: Expr | undefined;
  ops.forEach((each, at) => {
    const [left = first, right = first] = [operands[at], operands[at + 1]];
    const one: Expr = { kind: 'binary', op: each, left, right, start, end };
    made = made ? { kind: 'logical', op: 'and', left: made, right: one, start, end } : one;
  });
  return made && ops.length < maxChain ? made : fail(cursor);
}

/** Binding power of binary operators; 0 for other tokens. */
const bindingPower = new Uint8Array(256);
for (const [level, kinds] of [
  [kind.bar],
  [kind.caret],
  [kind.and],
  [kind.left, kind.right],
  [kind.plus, kind.minus],
  [kind.star, kind.slash, kind.floor, kind.percent, kind.at],
].entries()) {
  for (const each of kinds) bindingPower[each] = level + 1;
}

/** Parses operators that bind tighter than `above` (precedence climbing). */
function readBinary(cursor: Cursor, above: number): Expr {
  const start = tokenStart(cursor);
  let left = readUnary(cursor);
  for (let turns = 0; ; turns += 1) {
    const level = bindingPower[nextKind(cursor)] ?? 0;
    if (level <= above) return left;
    const op = tokenText(cursor);
    cursor.at += 1;
    const right = readBinary(cursor, level);
    left = { kind: 'binary', op, left, right, start, end: previousEnd(cursor) };
    if (turns > maxChain) return fail(cursor);
  }
}

/** Parses signs, which bind looser than `**`. */
function readUnary(cursor: Cursor): Expr {
  const what = nextKind(cursor);
  if (what !== kind.minus && what !== kind.plus && what !== kind.tilde) return readPower(cursor);
  const start = tokenStart(cursor);
  const op = tokenText(cursor);
  cursor.at += 1;
  const value = withNesting(cursor, readUnary);
  return { kind: 'unary', op, value, start, end: previousEnd(cursor) };
}

/** Parses `**`, which is right-associative, and `await`. */
function readPower(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  if (accept(cursor, kind.await)) {
    const value = readPrimary(cursor);
    // Parsers disagree on whether `await x ** 2` awaits the power.
    return nextKind(cursor) === kind.power ? fail(cursor) : { kind: 'await', value, start, end: previousEnd(cursor) };
  }
  const left = readPrimary(cursor);
  if (nextKind(cursor) !== kind.power) return left;
  cursor.at += 1;
  const right = withNesting(cursor, readUnary);
  return { kind: 'binary', op: '**', left, right, start, end: previousEnd(cursor) };
}

/** Parses an atom with its trailing members, calls and subscripts. */
export function readPrimary(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  return readTrailers(cursor, readAtom(cursor), start);
}
