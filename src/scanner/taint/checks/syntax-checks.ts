import type { FunctionNode, Module } from '../../ir/nodes.js';

const parsesCode = /\bast\.parse\(/;
/** Allow-list of syntax nodes: everything else is rejected. A block-list would not count. */
const rejectsUnlisted =
  /\bif\s+not\s+(?:isinstance\(|all\(\s*isinstance\()[^\n]*\n\s*(?:raise|return\s+(?:False|None))|\btype\(\w+\)\s+not\s+in\b[^\n]*\n\s*(?:raise|return\s+(?:False|None))/;
const resultByFunction = new WeakMap<FunctionNode, boolean>();

/** Whether a function parses a string as code and raises for all syntax nodes not on its allow-list. */
export function allowsListedSyntaxOnly(fn: FunctionNode, module: Module): boolean {
  if (module.language !== 'python') return false;
  const before = resultByFunction.get(fn);
  if (before !== undefined) return before;
  const text = module.text.slice(fn.start, Math.min(fn.end, fn.start + 6_000));
  const made = parsesCode.test(text) && rejectsUnlisted.test(text) && /\braise\b/.test(text);
  resultByFunction.set(fn, made);
  return made;
}
