import type { Arg, Expr } from '../../../ir/nodes.js';
import { readClauses } from './atoms.js';
import {
  kindAfterNext,
  previousEnd,
  expect,
  fail,
  nextKind,
  tokenStart,
  takeName,
  accept,
  type Cursor,
} from './cursor.js';
import { readBrackets } from './brackets.js';
import { readExpr, readNamed } from './expressions.js';
import { kind } from './kinds.js';

const maxTrailers = 150;

/** Parses the members, calls and subscripts after an expression that starts at `start`. */
export function readTrailers(cursor: Cursor, first: Expr, start: number): Expr {
  let made = first;
  for (let turns = 0; turns < maxTrailers; turns += 1) {
    switch (nextKind(cursor)) {
      case kind.dot:
        cursor.at += 1;
        made = { kind: 'member', object: made, property: takeName(cursor), start, end: previousEnd(cursor) };
        break;
      case kind.openParen: {
        const args = readArgs(cursor);
        made = { kind: 'call', callee: made, args, isNew: false, start, end: previousEnd(cursor) };
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

/** Parses the arguments of a call or the bases of a class, with their parentheses. */
export function readArgs(cursor: Cursor): Arg[] {
  const start = tokenStart(cursor);
  expect(cursor, kind.openParen);
  const args: Arg[] = [];
  while (nextKind(cursor) !== kind.closeParen && !cursor.isBroken) {
    if (accept(cursor, kind.star)) args.push({ value: readExpr(cursor), spread: 'list' });
    else if (accept(cursor, kind.power)) args.push({ value: readExpr(cursor), spread: 'dict' });
    else if (nextKind(cursor) === kind.name && kindAfterNext(cursor) === kind.assign) {
      const name = takeName(cursor);
      cursor.at += 1;
      args.push({ value: readExpr(cursor), name });
    } else {
      const value = readNamed(cursor);
      if (nextKind(cursor) === kind.for || nextKind(cursor) === kind.async) {
        // An unparenthesised generator must be the only argument.
        const clauses = readClauses(cursor);
        if (args.length > 0) fail(cursor);
        expect(cursor, kind.closeParen);
        const end = previousEnd(cursor);
        return [{ value: { kind: 'comprehension', of: 'generator', clauses, element: value, start, end } }];
      }
      args.push({ value });
    }
    if (!accept(cursor, kind.comma)) break;
  }
  expect(cursor, kind.closeParen);
  return args;
}

const readIndex = (cursor: Cursor, object: Expr, start: number): Expr =>
  readBrackets(cursor, object, { start, tupleStart: start, part: readSubscript });

const endsBound = (what: number): boolean => what === kind.colon || what === kind.comma || what === kind.closeBracket;

function readSubscript(cursor: Cursor): Expr {
  const start = tokenStart(cursor);
  const lower = nextKind(cursor) === kind.colon ? undefined : readNamed(cursor);
  if (!accept(cursor, kind.colon)) return lower ?? fail(cursor);
  const upper = endsBound(nextKind(cursor)) ? undefined : readExpr(cursor);
  const step = accept(cursor, kind.colon) && !endsBound(nextKind(cursor)) ? readExpr(cursor) : undefined;
  return { kind: 'slice', lower, upper, step, start, end: previousEnd(cursor) };
}
