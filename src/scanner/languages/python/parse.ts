import type { Parser } from 'web-tree-sitter';
import type { Stmt } from '../../ir/nodes.js';
import type { Parsed } from '../parsed.js';
import type { Context } from './context.js';
import { docstringOf } from './members.js';
import { readPlain } from './reader/index.js';
import { toStmts } from './statements.js';
import { syntaxOf } from './tree.js';

/** Longer texts than this, which no person writes, need more memory to read than a scan may take. */
const maxLength = 2_500_000;

/** Reads Python, giving up when the text takes longer than its time; what is not plain is read by the grammar. */
export function parsePython(parser: Parser, text: string, timeoutMs: number): Parsed | 'timeout' | 'too-large' {
  if (text.length > maxLength) return 'too-large';
  const plain = readPlain(text);
  return plain ? parsedOf(plain, text, false) : recoverPython(parser, text, timeoutMs);
}

/** Reads Python by its grammar, which finds its way through errors. */
export function recoverPython(parser: Parser, text: string, timeoutMs: number): Parsed | 'timeout' {
  const tree = syntaxOf(parser, text, timeoutMs);
  if (!tree) return 'timeout';
  const context: Context = { text, sawYield: false };
  return parsedOf(toStmts(tree.root, context), text, tree.partial);
}

function parsedOf(body: readonly Stmt[], text: string, partial: boolean): Parsed {
  const docstring = docstringOf(body);
  return { body, ...(docstring === undefined ? {} : { docstring }), partial, bytes: text.length };
}
