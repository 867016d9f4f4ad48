import type { Stmt } from '../../../ir/nodes.js';
import { cursorOf, nextKind } from './cursor.js';
import { kind } from './kinds.js';
import { readStatement } from './statements.js';
import { tokensOf } from './tokens.js';

/**
 * Fast parser for unambiguous Python; undefined for anything else (syntax errors, legacy or rare forms, extreme nesting),
 * which is then parsed by tree-sitter with error recovery.
 */
export function readPlain(text: string): Stmt[] | undefined {
  const tokens = tokensOf(text);
  if (!tokens) return undefined;
  const cursor = cursorOf(text, tokens);
  const body: Stmt[] = [];
  while (nextKind(cursor) !== kind.end) readStatement(cursor, body);
  return cursor.isBroken ? undefined : body;
}
