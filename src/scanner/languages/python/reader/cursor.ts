import type { Expr, Opaque } from '../../../ir/nodes.js';
import { kind } from './kinds.js';
import type { Tokens } from './tokens.js';

/** A place in the tokens of a text, and what the code read so far has shown. */
export interface Cursor extends Tokens {
  readonly text: string;
  at: number;
  /** Set once something did not read as Python: nothing of what was made counts then. */
  isBroken: boolean;
  /** Set by a `yield`, so that the function around it knows that it is a generator. */
  sawYield: boolean;
  depth: number;
}

/** Before the first token. */
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

/** What the next token is. */
export const next = (cursor: Cursor): number => cursor.kinds[cursor.at] ?? kind.end;
/** What the token behind the next one is. */
export const afterNext = (cursor: Cursor): number => cursor.kinds[cursor.at + 1] ?? kind.end;
/** Where the next token begins. */
export const startOf = (cursor: Cursor): number => cursor.starts[cursor.at] ?? 0;
/** Where the token before ended. */
export const endOf = (cursor: Cursor): number => cursor.ends[cursor.at - 1] ?? 0;
/** The next token as it is written. */
export const textOf = (cursor: Cursor): string => cursor.text.slice(cursor.starts[cursor.at], cursor.ends[cursor.at]);

/** Passes the next token if it is this one. */
export function takes(cursor: Cursor, what: number): boolean {
  if (next(cursor) !== what) return false;
  cursor.at += 1;
  return true;
}

/** Passes the next token, which must be this one. */
export function expect(cursor: Cursor, what: number): void {
  if (!takes(cursor, what)) fail(cursor);
}

/** Passes a name and answers it. */
export function takeName(cursor: Cursor): string {
  const name = textOf(cursor);
  expect(cursor, kind.name);
  return name;
}

/** Gives up: the rest of the tokens is passed by, so that every loop comes to its end. */
export function fail(cursor: Cursor): Opaque {
  cursor.isBroken = true;
  cursor.at = cursor.kinds.length - 1;
  return { kind: 'opaque', what: 'ERROR', parts: [], start: 0, end: 0 };
}

/** Deeper code than this is left to the reader that does not use the stack. */
const maxDepth = 60;

/** Reads something that may hold itself again. */
export function nested<T extends Expr | undefined>(cursor: Cursor, read: (cursor: Cursor) => T): T | Opaque {
  if (cursor.depth >= maxDepth) return fail(cursor);
  cursor.depth += 1;
  const made = read(cursor);
  cursor.depth -= 1;
  return made;
}
