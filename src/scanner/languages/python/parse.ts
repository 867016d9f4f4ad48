import type { Module } from '../../ir/nodes.js';
import { lineStartsOf } from '../../ir/positions.js';
import type { Context } from './context.js';
import { docstringOf } from './functions.js';
import { toStmts } from './statements.js';
import { pythonParser, syntaxOf } from './tree.js';

/** Reads Python; undefined when the text takes longer than its time. */
export async function parsePython(path: string, text: string, timeoutMs: number): Promise<Module | undefined> {
  const tree = syntaxOf(await pythonParser(), text, timeoutMs);
  if (!tree) return undefined;
  const context: Context = { text, sawYield: false };
  const body = toStmts(tree.root, context);
  const docstring = docstringOf(body);
  return { path, language: 'python', text, body, ...(docstring === undefined ? {} : { docstring }), partial: tree.partial, lineStarts: lineStartsOf(text) };
}
