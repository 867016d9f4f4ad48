import type { Stmt } from '../../../ir/nodes.js';
import { expect, fail, nextKind, type Cursor } from './cursor.js';
import { kind } from './kinds.js';
import { readSimple, readStatement } from './statements.js';

/** Deeper nested blocks are left to tree-sitter, which does not use the call stack. */
const maxBlockDepth = 60;

/** Parses a colon and the following statements; the block ends after its last comment, as in tree-sitter. */
export function readBlock(cursor: Cursor): { readonly body: Stmt[]; readonly end: number } {
  const body: Stmt[] = [];
  expect(cursor, kind.colon);
  if (nextKind(cursor) !== kind.newline) {
    readSimple(cursor, body);
    return { body, end: cursor.ends[cursor.at - 1] ?? 0 };
  }
  cursor.at += 1;
  expect(cursor, kind.indent);
  cursor.depth += 1;
  if (cursor.depth > maxBlockDepth) fail(cursor);
  while (nextKind(cursor) !== kind.dedent && nextKind(cursor) !== kind.end) readStatement(cursor, body);
  cursor.depth -= 1;
  const end = cursor.starts[cursor.at] ?? 0;
  expect(cursor, kind.dedent);
  return { body, end };
}
