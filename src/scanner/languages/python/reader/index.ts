import type { Stmt } from '../../../ir/nodes.js';
import { cursorOf, next } from './cursor.js';
import { kind } from './kinds.js';
import { readStatement } from './statements.js';
import { tokensOf } from './tokens.js';

/**
 * Reads Python whose meaning is beyond doubt; undefined for anything else (errors, old or rare forms, nesting deeper
 * than anybody writes), which a reader that recovers from errors then reads.
 */
export function readPlain(text: string): Stmt[] | undefined {
  const tokens = tokensOf(text);
  if (!tokens) return undefined;
  const cursor = cursorOf(text, tokens);
  const body: Stmt[] = [];
  while (next(cursor) !== kind.end) readStatement(cursor, body);
  return cursor.isBroken ? undefined : body;
}
