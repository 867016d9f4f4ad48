import type { Parser } from 'web-tree-sitter';
import type { Parsed } from '../parsed.js';
import type { Context } from './context.js';
import { parsedOf } from './parse.js';
import { toStmts } from './statements.js';
import { pythonParser, syntaxOf } from './tree.js';

/** Reads Python by its grammar, which finds its way through errors; gives up when the text takes longer than its time. */
export type RecoverPython = (text: string, timeoutMs: number) => Parsed | 'timeout';

/** Loads the grammar; afterwards texts are read without waiting. */
export async function pythonRecovery(): Promise<RecoverPython> {
  const parser = await pythonParser();
  return (text, timeoutMs) => recovered(parser, text, timeoutMs);
}

function recovered(parser: Parser, text: string, timeoutMs: number): Parsed | 'timeout' {
  const tree = syntaxOf(parser, text, timeoutMs);
  if (!tree) return 'timeout';
  const context: Context = { text, sawYield: false };
  return parsedOf(toStmts(tree.root, context), text, tree.partial);
}
