import type { FunctionNode, Module } from '../ir/nodes.js';

const parses = /\bast\.parse\(/;
/** Whatever is not of a kind that is listed is refused; a list of kinds that are refused would leave the others. */
const permits =
  /\bif\s+not\s+(?:isinstance\(|all\(\s*isinstance\()[^\n]*\n\s*(?:raise|return\s+(?:False|None))|\btype\(\w+\)\s+not\s+in\b[^\n]*\n\s*(?:raise|return\s+(?:False|None))/;
const known = new WeakMap<FunctionNode, boolean>();

/** Whether a function reads a text as code and fails for every kind of code but those it lists. */
export function failsForOtherCode(fn: FunctionNode, module: Module): boolean {
  if (module.language !== 'python') return false;
  const before = known.get(fn);
  if (before !== undefined) return before;
  const text = module.text.slice(fn.start, Math.min(fn.end, fn.start + 6_000));
  const made = parses.test(text) && permits.test(text) && /\braise\b/.test(text);
  known.set(fn, made);
  return made;
}
