import type { Expr } from '../../../ir/nodes.js';
import { readAtom } from './atoms.js';
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
import { readParams } from './functions.js';
import { kind } from './kinds.js';
import { readTrailers } from './trailers.js';

/** A long chain of operators is one deep tree: beyond this it is left to the reader that counts its depth. */
const maxChain = 200;

/** Reads one expression; a `name := value` is one only where `readNamed` is called. */
export const readExpr = (cursor: Cursor): Expr => nested(cursor, conditional);

/** Reads an expression or `name := value`. */
export function readNamed(cursor: Cursor): Expr {
  if (next(cursor) !== kind.name || afterNext(cursor) !== kind.walrus) return readExpr(cursor);
  const start = startOf(cursor);
  const target: Expr = { kind: 'name', name: takeName(cursor), start, end: endOf(cursor) };
  expect(cursor, kind.walrus);
  const value = readExpr(cursor);
  return { kind: 'assign', target, value, start, end: endOf(cursor) };
}

function conditional(cursor: Cursor): Expr {
  const start = startOf(cursor);
  if (next(cursor) === kind.lambda) return readLambda(cursor);
  const yes = readOr(cursor);
  if (!takes(cursor, kind.if)) return yes;
  const test = readOr(cursor);
  expect(cursor, kind.else);
  const no = readExpr(cursor);
  return { kind: 'conditional', test, yes, no, start, end: endOf(cursor) };
}

function readLambda(cursor: Cursor): Expr {
  const start = startOf(cursor);
  expect(cursor, kind.lambda);
  const params = readParams(cursor, kind.colon, false);
  expect(cursor, kind.colon);
  const from = startOf(cursor);
  const value = readExpr(cursor);
  const end = endOf(cursor);
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

/** Reads an expression without `if … else`. */
export function readOr(cursor: Cursor): Expr {
  const start = startOf(cursor);
  let left = readAnd(cursor);
  for (let turns = 0; takes(cursor, kind.or); turns += 1) {
    const right = readAnd(cursor);
    left = { kind: 'logical', op: 'or', left, right, start, end: endOf(cursor) };
    if (turns > maxChain) return fail(cursor);
  }
  return left;
}

function readAnd(cursor: Cursor): Expr {
  const start = startOf(cursor);
  let left = readNot(cursor);
  for (let turns = 0; takes(cursor, kind.andWord); turns += 1) {
    const right = readNot(cursor);
    left = { kind: 'logical', op: 'and', left, right, start, end: endOf(cursor) };
    if (turns > maxChain) return fail(cursor);
  }
  return left;
}

function readNot(cursor: Cursor): Expr {
  if (next(cursor) !== kind.not) return readComparison(cursor);
  const start = startOf(cursor);
  cursor.at += 1;
  const value = nested(cursor, readNot);
  return { kind: 'unary', op: 'not', value, start, end: endOf(cursor) };
}

/** The operator of a comparison as the model spells it, passed by; undefined where there is none. */
function takeComparison(cursor: Cursor): string | undefined {
  const what = next(cursor);
  if (what < kind.less || (what > kind.greater && what < kind.equal)) return undefined;
  switch (what) {
    case kind.less:
    case kind.greater:
    case kind.equal:
    case kind.unequal:
    case kind.lessEqual:
    case kind.greaterEqual:
    case kind.in: {
      const op = textOf(cursor);
      cursor.at += 1;
      return op;
    }
    case kind.is:
      cursor.at += 1;
      return takes(cursor, kind.not) ? '!=' : '==';
    case kind.not:
      if (afterNext(cursor) !== kind.in) return undefined;
      cursor.at += 2;
      return 'not in';
    default:
      return undefined;
  }
}

/** `a < b < c` is two comparisons; both stand where the whole of it does. */
function readComparison(cursor: Cursor): Expr {
  const start = startOf(cursor);
  const first = readBinary(cursor, 0);
  let op = takeComparison(cursor);
  if (op === undefined) return first;
  const ops: string[] = [];
  const operands: Expr[] = [first];
  for (; op !== undefined; op = takeComparison(cursor)) {
    ops.push(op);
    operands.push(readBinary(cursor, 0));
  }
  const end = endOf(cursor);
  let made: Expr | undefined;
  ops.forEach((each, at) => {
    const [left = first, right = first] = [operands[at], operands[at + 1]];
    const one: Expr = { kind: 'binary', op: each, left, right, start, end };
    made = made ? { kind: 'logical', op: 'and', left: made, right: one, start, end } : one;
  });
  return made && ops.length < maxChain ? made : fail(cursor);
}

/** How tightly operators bind; 0 for what is none. */
const strength = new Uint8Array(256);
for (const [level, kinds] of [
  [kind.bar],
  [kind.caret],
  [kind.and],
  [kind.left, kind.right],
  [kind.plus, kind.minus],
  [kind.star, kind.slash, kind.floor, kind.percent, kind.at],
].entries()) {
  for (const each of kinds) strength[each] = level + 1;
}

/** Reads operators that bind tighter than `above`. */
export function readBinary(cursor: Cursor, above: number): Expr {
  const start = startOf(cursor);
  let left = readUnary(cursor);
  for (let turns = 0; ; turns += 1) {
    const level = strength[next(cursor)] ?? 0;
    if (level <= above) return left;
    const op = textOf(cursor);
    cursor.at += 1;
    const right = readBinary(cursor, level);
    left = { kind: 'binary', op, left, right, start, end: endOf(cursor) };
    if (turns > maxChain) return fail(cursor);
  }
}

function readUnary(cursor: Cursor): Expr {
  const what = next(cursor);
  if (what !== kind.minus && what !== kind.plus && what !== kind.tilde) return readPower(cursor);
  const start = startOf(cursor);
  const op = textOf(cursor);
  cursor.at += 1;
  const value = nested(cursor, readUnary);
  return { kind: 'unary', op, value, start, end: endOf(cursor) };
}

function readPower(cursor: Cursor): Expr {
  const start = startOf(cursor);
  if (takes(cursor, kind.await)) {
    const value = readPrimary(cursor);
    // Readers do not agree on whether `await x ** 2` waits for the power.
    return next(cursor) === kind.power ? fail(cursor) : { kind: 'await', value, start, end: endOf(cursor) };
  }
  const left = readPrimary(cursor);
  if (next(cursor) !== kind.power) return left;
  cursor.at += 1;
  const right = nested(cursor, readUnary);
  return { kind: 'binary', op: '**', left, right, start, end: endOf(cursor) };
}

/** Reads a name, literal or bracket with the members, calls and indexes behind it. */
export function readPrimary(cursor: Cursor): Expr {
  const start = startOf(cursor);
  return readTrailers(cursor, readAtom(cursor), start);
}
