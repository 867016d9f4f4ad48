import type { Arg, Expr } from '../../../ir/nodes.js';
import { readClauses } from './atoms.js';
import { afterNext, endOf, expect, fail, next, startOf, takeName, takes, type Cursor } from './cursor.js';
import { readBrackets } from './brackets.js';
import { readExpr, readNamed } from './expressions.js';
import { kind } from './kinds.js';

const maxChain = 150;

/** Reads the members, calls and indexes behind an expression that began at `start`. */
export function readTrailers(cursor: Cursor, first: Expr, start: number): Expr {
  let made = first;
  for (let turns = 0; turns < maxChain; turns += 1) {
    switch (next(cursor)) {
      case kind.dot:
        cursor.at += 1;
        made = { kind: 'member', object: made, property: takeName(cursor), start, end: endOf(cursor) };
        break;
      case kind.openParen: {
        const args = readArgs(cursor);
        made = { kind: 'call', callee: made, args, isNew: false, start, end: endOf(cursor) };
        break;
      }
      case kind.openBracket:
        made = readIndex(cursor, made, start);
        break;
      default:
        return made;
    }
  }
  return fail(cursor);
}

/** Reads the arguments of a call or the bases of a class, with their brackets. */
export function readArgs(cursor: Cursor): Arg[] {
  const start = startOf(cursor);
  expect(cursor, kind.openParen);
  const args: Arg[] = [];
  while (next(cursor) !== kind.closeParen && !cursor.isBroken) {
    if (takes(cursor, kind.star)) args.push({ value: readExpr(cursor), spread: 'list' });
    else if (takes(cursor, kind.power)) args.push({ value: readExpr(cursor), spread: 'dict' });
    else if (next(cursor) === kind.name && afterNext(cursor) === kind.assign) {
      const name = takeName(cursor);
      cursor.at += 1;
      args.push({ value: readExpr(cursor), name });
    } else {
      const value = readNamed(cursor);
      if (next(cursor) === kind.for || next(cursor) === kind.async) {
        // A bare generator is the only argument.
        const clauses = readClauses(cursor);
        if (args.length > 0) fail(cursor);
        expect(cursor, kind.closeParen);
        const end = endOf(cursor);
        return [{ value: { kind: 'comprehension', of: 'generator', clauses, element: value, start, end } }];
      }
      args.push({ value });
    }
    if (!takes(cursor, kind.comma)) break;
  }
  expect(cursor, kind.closeParen);
  return args;
}

const readIndex = (cursor: Cursor, object: Expr, start: number): Expr =>
  readBrackets(cursor, object, { start, tupleStart: start, part: readSubscript });

const endsBound = (what: number): boolean => what === kind.colon || what === kind.comma || what === kind.closeBracket;

function readSubscript(cursor: Cursor): Expr {
  const start = startOf(cursor);
  const lower = next(cursor) === kind.colon ? undefined : readNamed(cursor);
  if (!takes(cursor, kind.colon)) return lower ?? fail(cursor);
  const upper = endsBound(next(cursor)) ? undefined : readExpr(cursor);
  const step = takes(cursor, kind.colon) && !endsBound(next(cursor)) ? readExpr(cursor) : undefined;
  return { kind: 'slice', lower, upper, step, start, end: endOf(cursor) };
}
