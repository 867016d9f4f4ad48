import type { Expr, Opaque } from '../../../ir/nodes.js';
import { kind } from './kinds.js';
import type { Tokens } from './tokens.js';

/** Position in the token stream, with parser state. */
export interface Cursor extends Tokens {
  readonly text: string;
  at: number;
  /** Set on the first syntax error; the result is then discarded. */
  isBroken: boolean;
  /** Set by a `yield`, which makes the enclosing function a generator. */
  sawYield: boolean;
  depth: number;
}

/** A cursor before the first token. */
export const cursorOf = (text: string, tokens: Tokens): Cursor => ({
  text,
  kinds: tokens.kinds,
  starts: tokens.starts,
  ends: tokens.ends,
  at: 0,
  isBroken: false,
  sawYield: false,
  depth: 0,
});

/** The kind of the next token. */
export const nextKind = (cursor: Cursor): number => cursor.kinds[cursor.at] ?? kind.end;
/** The kind of the token after the next one. */
export const kindAfterNext = (cursor: Cursor): number => cursor.kinds[cursor.at + 1] ?? kind.end;
/** The start offset of the next token. */
export const tokenStart = (cursor: Cursor): number => cursor.starts[cursor.at] ?? 0;
/** The end offset of the previous token. */
export const previousEnd = (cursor: Cursor): number => cursor.ends[cursor.at - 1] ?? 0;
/** The text of the next token. */
export const tokenText = (cursor: Cursor): string =>
  cursor.text.slice(cursor.starts[cursor.at], cursor.ends[cursor.at]);

/** Consumes the next token if it has this kind. */
export function accept(cursor: Cursor, what: number): boolean {
  if (nextKind(cursor) !== what) return false;
  cursor.at += 1;
  return true;
}

/** Consumes the next token, which must have this kind. */
export function expect(cursor: Cursor, what: number): void {
  if (!accept(cursor, what)) fail(cursor);
}

/** Consumes and returns a name. */
export function takeName(cursor: Cursor): string {
  const name = tokenText(cursor);
  expect(cursor, kind.name);
  return name;
}

/** Aborts parsing; skips all remaining tokens, so that every loop terminates. */
export function fail(cursor: Cursor): Opaque {
  cursor.isBroken = true;
  cursor.at = cursor.kinds.length - 1;
  return { kind: 'opaque', what: 'ERROR', parts: [], start: 0, end: 0 };
}

/** Deeper code is left to tree-sitter, which does not use the call stack. */
const maxExprDepth = 60;

/** Runs a recursive parse function with a depth limit. */
export function withNesting<T extends Expr | undefined>(cursor: Cursor, read: (cursor: Cursor) => T): T | Opaque {
  if (cursor.depth >= maxExprDepth) return fail(cursor);
  cursor.depth += 1;
  const made = read(cursor);
  cursor.depth -= 1;
  return made;
}
