import type { Parser } from 'web-tree-sitter';
import type { Parsed } from '../source-text.js';
import type { Context } from './context.js';
import { toParsed } from './parse.js';
import { toStmts } from './statements.js';
import { pythonParser, syntaxOf } from './tree.js';

/** Parses Python with tree-sitter, which recovers from syntax errors; bounded by a timeout. */
export type RecoverPython = (text: string, timeoutMs: number) => Parsed | 'timeout';

/** Loads the grammar; the returned parser is synchronous. */
export async function pythonRecovery(): Promise<RecoverPython> {
  const parser = await pythonParser();
  return (text, timeoutMs) => parseWithRecovery(parser, text, timeoutMs);
}

/** Parses one text; the tree is converted at once, so that no WebAssembly memory is held. */
function parseWithRecovery(parser: Parser, text: string, timeoutMs: number): Parsed | 'timeout' {
  const tree = syntaxOf(parser, text, timeoutMs);
  if (!tree) return 'timeout';
  const context: Context = { text, sawYield: false };
  return toParsed(toStmts(tree.root, context), text, tree.partial);
}
