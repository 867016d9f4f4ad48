import type { Case, Expr, Opaque, Stmt } from '../../../ir/nodes.js';
import { readAtom } from './atoms.js';
import { readBlock } from './blocks.js';
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
import { readExpr, readNamed } from './expressions.js';
import { kind } from './kinds.js';

/** Whether a line that begins with the name `match` is the head of cases: it ends in a colon and `case` follows. */
export function beginsMatch(cursor: Cursor): boolean {
  const after = afterNext(cursor);
  if (next(cursor) !== kind.name || after === kind.assign || after === kind.dot || textOf(cursor) !== 'match')
    return false;
  const end = cursor.kinds.indexOf(kind.newline, cursor.at);
  const { kinds, starts, ends, text } = cursor;
  const hasBlock = kinds[end - 1] === kind.colon && kinds[end + 1] === kind.indent && kinds[end + 2] === kind.name;
  return hasBlock && text.slice(starts[end + 2], ends[end + 2]) === 'case';
}

/** Reads `match` as a choice by value; patterns that are no plain values are opaque. */
export function readMatch(cursor: Cursor): Stmt {
  const start = startOf(cursor);
  cursor.at += 1;
  const subject = readExpr(cursor);
  while (takes(cursor, kind.comma)) if (next(cursor) !== kind.colon) readExpr(cursor);
  expect(cursor, kind.colon);
  expect(cursor, kind.newline);
  expect(cursor, kind.indent);
  const cases: Case[] = [];
  while (next(cursor) === kind.name && !cursor.isBroken) cases.push(readCase(cursor));
  const end = startOf(cursor);
  expect(cursor, kind.dedent);
  return { kind: 'switch', subject, cases, fallsThrough: false, start, end };
}

function readCase(cursor: Cursor): Case {
  const start = startOf(cursor);
  if (textOf(cursor) !== 'case') fail(cursor);
  cursor.at += 1;
  const tests: Expr[] = [];
  do {
    if (next(cursor) === kind.colon || next(cursor) === kind.if) break;
    tests.push(...testsOf(readPattern(cursor)));
  } while (takes(cursor, kind.comma));
  if (takes(cursor, kind.if)) readNamed(cursor);
  const { body, end } = readBlock(cursor);
  return { tests, body, start, end };
}

/** What a case asks for; a bare name takes anything, so it asks for nothing. */
function testsOf({ parts: [inner] }: Opaque): readonly Expr[] {
  if (!inner || inner.kind === 'name') return [];
  if (inner.kind === 'opaque' && inner.what === 'union_pattern') return inner.parts;
  return inner.kind === 'opaque' && inner.what === 'as_pattern' ? inner.parts.slice(0, 1) : [inner];
}

const opaque = (cursor: Cursor, what: string, parts: readonly Expr[], start: number): Opaque => ({
  kind: 'opaque',
  what,
  parts,
  start,
  end: endOf(cursor),
});

/** Reads one pattern with what it is bound to. */
function readPattern(cursor: Cursor): Opaque {
  const start = startOf(cursor);
  const inner = nested(cursor, readChoice);
  const made = opaque(cursor, 'case_pattern', inner ? [inner] : [], start);
  if (!takes(cursor, kind.as)) return made;
  const from = startOf(cursor);
  const name: Expr = { kind: 'name', name: takeName(cursor), start: from, end: endOf(cursor) };
  return opaque(cursor, 'case_pattern', [opaque(cursor, 'as_pattern', [made, name], start)], start);
}

/** Patterns with `|` between them; undefined for `_`, which is none. */
function readChoice(cursor: Cursor): Expr | undefined {
  const start = startOf(cursor);
  const first = readOne(cursor);
  if (next(cursor) !== kind.bar) return first;
  const parts = first ? [first] : [];
  while (takes(cursor, kind.bar)) {
    const other = readOne(cursor);
    if (other) parts.push(other);
  }
  return opaque(cursor, 'union_pattern', parts, start);
}

function readOne(cursor: Cursor): Expr | undefined {
  const start = startOf(cursor);
  switch (next(cursor)) {
    case kind.name:
      return readNameOrClass(cursor, start);
    case kind.string:
    case kind.number:
    case kind.true:
    case kind.false:
    case kind.none:
      return readAtom(cursor);
    case kind.minus:
      // The sign is no part of what the case is known by.
      cursor.at += 1;
      return next(cursor) === kind.number ? readAtom(cursor) : fail(cursor);
    case kind.star:
      cursor.at += 1;
      return opaque(cursor, 'splat_pattern', boundName(cursor), start);
    case kind.openBracket:
      return readSequence(cursor, 'list_pattern', kind.closeBracket, start);
    case kind.openParen:
      return readSequence(cursor, 'tuple_pattern', kind.closeParen, start);
    case kind.openBrace:
      return readMapping(cursor, start);
    default:
      return fail(cursor);
  }
}

function boundName(cursor: Cursor): Expr[] {
  const start = startOf(cursor);
  const name = takeName(cursor);
  return name === '_' ? [] : [{ kind: 'name', name, start, end: endOf(cursor) }];
}

function readNameOrClass(cursor: Cursor, start: number): Expr | undefined {
  const name = takeName(cursor);
  let made: Expr = { kind: 'name', name, start, end: endOf(cursor) };
  while (takes(cursor, kind.dot)) {
    made = { kind: 'member', object: made, property: takeName(cursor), start, end: endOf(cursor) };
  }
  if (takes(cursor, kind.openParen)) {
    const parts: Expr[] = [made];
    while (next(cursor) !== kind.closeParen && !cursor.isBroken) {
      parts.push(readField(cursor));
      if (!takes(cursor, kind.comma)) break;
    }
    expect(cursor, kind.closeParen);
    return opaque(cursor, 'class_pattern', parts, start);
  }
  return made.kind === 'name' && name === '_' ? undefined : made;
}

/** A pattern inside a class, with or without the name of its field. */
function readField(cursor: Cursor): Expr {
  if (next(cursor) !== kind.name || afterNext(cursor) !== kind.assign) return readPattern(cursor);
  const start = startOf(cursor);
  const name: Expr = { kind: 'name', name: takeName(cursor), start, end: endOf(cursor) };
  cursor.at += 1;
  const value = nested(cursor, readChoice);
  const inner = opaque(cursor, 'keyword_pattern', value ? [name, value] : [name], start);
  return next(cursor) === kind.as ? fail(cursor) : opaque(cursor, 'case_pattern', [inner], start);
}

function readSequence(cursor: Cursor, what: string, close: number, start: number): Expr {
  cursor.at += 1;
  const parts: Expr[] = [];
  while (next(cursor) !== close && !cursor.isBroken) {
    parts.push(readPattern(cursor));
    if (!takes(cursor, kind.comma)) break;
  }
  expect(cursor, close);
  return opaque(cursor, what, parts, start);
}

function readMapping(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  const parts: Expr[] = [];
  while (next(cursor) !== kind.closeBrace && !cursor.isBroken) {
    const from = startOf(cursor);
    if (takes(cursor, kind.power)) parts.push(opaque(cursor, 'splat_pattern', boundName(cursor), from));
    else {
      const key = readOne(cursor);
      expect(cursor, kind.colon);
      if (key) parts.push(key);
      parts.push(readPattern(cursor));
    }
    if (!takes(cursor, kind.comma)) break;
  }
  expect(cursor, kind.closeBrace);
  return opaque(cursor, 'dict_pattern', parts, start);
}
