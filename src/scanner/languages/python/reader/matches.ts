import type { Case, Expr, Opaque, Stmt } from '../../../ir/nodes.js';
import { readAtom } from './atoms.js';
import { readBlock } from './blocks.js';
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
import { readExpr, readNamed } from './expressions.js';
import { kind } from './kinds.js';

/** Whether `match` is used as the soft keyword: the line ends in a colon and `case` follows. */
export function beginsMatch(cursor: Cursor): boolean {
  const after = kindAfterNext(cursor);
  // `match` is an ordinary name in most programs; the cheap checks come first.
  if (nextKind(cursor) !== kind.name || after === kind.assign || after === kind.dot || tokenText(cursor) !== 'match')
    return false;
  const end = cursor.kinds.indexOf(kind.newline, cursor.at);
  const { kinds, starts, ends, text } = cursor;
  const hasBlock = kinds[end - 1] === kind.colon && kinds[end + 1] === kind.indent && kinds[end + 2] === kind.name;
  return hasBlock && text.slice(starts[end + 2], ends[end + 2]) === 'case';
}

/** Parses `match` as a switch; patterns other than plain values are opaque. */
export function readMatch(cursor: Cursor): Stmt {
  const start = tokenStart(cursor);
  cursor.at += 1;
  const subject = readExpr(cursor);
  while (accept(cursor, kind.comma)) if (nextKind(cursor) !== kind.colon) readExpr(cursor);
  expect(cursor, kind.colon);
  expect(cursor, kind.newline);
  expect(cursor, kind.indent);
  const cases: Case[] = [];
  while (nextKind(cursor) === kind.name && !cursor.isBroken) cases.push(readCase(cursor));
  const end = tokenStart(cursor);
  expect(cursor, kind.dedent);
  return { kind: 'switch', subject, cases, fallsThrough: false, start, end };
}

/** Parses one case; its guard is read and ignored, so that the case may always match. */
function readCase(cursor: Cursor): Case {
  const start = tokenStart(cursor);
  if (tokenText(cursor) !== 'case') fail(cursor);
  cursor.at += 1;
  const tests: Expr[] = [];
  do {
    if (nextKind(cursor) === kind.colon || nextKind(cursor) === kind.if) break;
    tests.push(...caseTests(readPattern(cursor)));
  } while (accept(cursor, kind.comma));
  if (accept(cursor, kind.if)) readNamed(cursor);
  const { body, end } = readBlock(cursor);
  return { tests, body, start, end };
}

/** The values a case tests for; a bare name matches anything, so it has none. */
function caseTests({ parts: [inner] }: Opaque): readonly Expr[] {
  if (!inner || inner.kind === 'name') return [];
  if (inner.kind === 'opaque' && inner.what === 'union_pattern') return inner.parts;
  return inner.kind === 'opaque' && inner.what === 'as_pattern' ? inner.parts.slice(0, 1) : [inner];
}

/** A pattern that the analysis does not look into, with its parts. */
const opaquePattern = (cursor: Cursor, what: string, parts: readonly Expr[], start: number): Opaque => ({
  kind: 'opaque',
  what,
  parts,
  start,
  end: previousEnd(cursor),
});

/** Parses one pattern with an optional `as` name. */
function readPattern(cursor: Cursor): Opaque {
  const start = tokenStart(cursor);
  const inner = withNesting(cursor, readChoice);
  const made = opaquePattern(cursor, 'case_pattern', inner ? [inner] : [], start);
  if (!accept(cursor, kind.as)) return made;
  const from = tokenStart(cursor);
  const name: Expr = { kind: 'name', name: takeName(cursor), start: from, end: previousEnd(cursor) };
  return opaquePattern(cursor, 'case_pattern', [opaquePattern(cursor, 'as_pattern', [made, name], start)], start);
}

/** Parses patterns separated by `|`; undefined for the wildcard `_`. */
function readChoice(cursor: Cursor): Expr | undefined {
  const start = tokenStart(cursor);
  const first = readSinglePattern(cursor);
  if (nextKind(cursor) !== kind.bar) return first;
  const parts = first ? [first] : [];
  while (accept(cursor, kind.bar)) {
    const other = readSinglePattern(cursor);
    if (other) parts.push(other);
  }
  return opaquePattern(cursor, 'union_pattern', parts, start);
}

/** Parses a pattern without alternatives. */
function readSinglePattern(cursor: Cursor): Expr | undefined {
  const start = tokenStart(cursor);
  switch (nextKind(cursor)) {
    case kind.name:
      return readNameOrClass(cursor, start);
    case kind.string:
    case kind.number:
    case kind.true:
    case kind.false:
    case kind.none:
      return readAtom(cursor);
    case kind.minus:
      // The sign is dropped, as in the tree-sitter conversion.
      cursor.at += 1;
      return nextKind(cursor) === kind.number ? readAtom(cursor) : fail(cursor);
    case kind.star:
      cursor.at += 1;
      return opaquePattern(cursor, 'splat_pattern', readBoundName(cursor), start);
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

/** A bound name; the wildcard binds nothing. */
function readBoundName(cursor: Cursor): Expr[] {
  const start = tokenStart(cursor);
  const name = takeName(cursor);
  return name === '_' ? [] : [{ kind: 'name', name, start, end: previousEnd(cursor) }];
}

/** Parses a capture, a constant or a class pattern. */
function readNameOrClass(cursor: Cursor, start: number): Expr | undefined {
  const name = takeName(cursor);
  let made: Expr = { kind: 'name', name, start, end: previousEnd(cursor) };
  while (accept(cursor, kind.dot)) {
    made = { kind: 'member', object: made, property: takeName(cursor), start, end: previousEnd(cursor) };
  }
  if (accept(cursor, kind.openParen)) {
    const parts: Expr[] = [made];
    while (nextKind(cursor) !== kind.closeParen && !cursor.isBroken) {
      parts.push(readField(cursor));
      if (!accept(cursor, kind.comma)) break;
    }
    expect(cursor, kind.closeParen);
    return opaquePattern(cursor, 'class_pattern', parts, start);
  }
  return made.kind === 'name' && name === '_' ? undefined : made;
}

/** Parses a positional or keyword pattern of a class pattern. */
function readField(cursor: Cursor): Expr {
  if (nextKind(cursor) !== kind.name || kindAfterNext(cursor) !== kind.assign) return readPattern(cursor);
  const start = tokenStart(cursor);
  const name: Expr = { kind: 'name', name: takeName(cursor), start, end: previousEnd(cursor) };
  cursor.at += 1;
  const value = withNesting(cursor, readChoice);
  const inner = opaquePattern(cursor, 'keyword_pattern', value ? [name, value] : [name], start);
  return nextKind(cursor) === kind.as ? fail(cursor) : opaquePattern(cursor, 'case_pattern', [inner], start);
}

/** Parses a list or tuple pattern. */
function readSequence(cursor: Cursor, what: string, close: number, start: number): Expr {
  cursor.at += 1;
  const parts: Expr[] = [];
  while (nextKind(cursor) !== close && !cursor.isBroken) {
    parts.push(readPattern(cursor));
    if (!accept(cursor, kind.comma)) break;
  }
  expect(cursor, close);
  return opaquePattern(cursor, what, parts, start);
}

/** Parses a mapping pattern. */
function readMapping(cursor: Cursor, start: number): Expr {
  cursor.at += 1;
  const parts: Expr[] = [];
  while (nextKind(cursor) !== kind.closeBrace && !cursor.isBroken) {
    const from = tokenStart(cursor);
    if (accept(cursor, kind.power)) parts.push(opaquePattern(cursor, 'splat_pattern', readBoundName(cursor), from));
    else {
      const key = readSinglePattern(cursor);
      expect(cursor, kind.colon);
      if (key) parts.push(key);
      parts.push(readPattern(cursor));
    }
    if (!accept(cursor, kind.comma)) break;
  }
  expect(cursor, kind.closeBrace);
  return opaquePattern(cursor, 'dict_pattern', parts, start);
}
