import type { Stmt } from '../../../ir/nodes.js';
import { expect, fail, next, type Cursor } from './cursor.js';
import { kind } from './kinds.js';
import { readSimple, readStatement } from './statements.js';

/** Blocks that stand deeper than this in each other are left to the reader that does not use the stack. */
const maxDepth = 60;

/** Reads a colon and the statements behind it; a block ends behind the comments in it. */
export function readBlock(cursor: Cursor): { readonly body: Stmt[]; readonly end: number } {
  const body: Stmt[] = [];
  expect(cursor, kind.colon);
  if (next(cursor) !== kind.newline) {
    readSimple(cursor, body);
    return { body, end: cursor.ends[cursor.at - 1] ?? 0 };
  }
  cursor.at += 1;
  expect(cursor, kind.indent);
  cursor.depth += 1;
  if (cursor.depth > maxDepth) fail(cursor);
  while (next(cursor) !== kind.dedent && next(cursor) !== kind.end) readStatement(cursor, body);
  cursor.depth -= 1;
  const end = cursor.starts[cursor.at] ?? 0;
  expect(cursor, kind.dedent);
  return { body, end };
}
