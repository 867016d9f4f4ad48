import type { Parser } from 'web-tree-sitter';
import type { Parsed } from '../parsed.js';
import type { Context } from './context.js';
import { docstringOf } from './functions.js';
import { toStmts } from './statements.js';
import { syntaxOf } from './tree.js';

/** Longer texts than this, which no person writes, need more memory to read than a scan may take. */
const maxLength = 2_500_000;

/** Reads Python, giving up when the text takes longer than its time. */
export function parsePython(parser: Parser, text: string, timeoutMs: number): Parsed | 'timeout' | 'too-large' {
  if (text.length > maxLength) return 'too-large';
  const tree = syntaxOf(parser, text, timeoutMs);
  if (!tree) return 'timeout';
  const context: Context = { text, sawYield: false };
  const body = toStmts(tree.root, context);
  const docstring = docstringOf(body);
  return { body, ...(docstring === undefined ? {} : { docstring }), partial: tree.partial, bytes: text.length };
}
